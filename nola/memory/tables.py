"""The SQL of the tables, version by version; what was released is never edited, only followed by another."""

from __future__ import annotations

__all__ = ["CONVERSATIONS", "MEMORIES", "PROTECTION"]

CONVERSATIONS = """
CREATE TABLE conversation (
    id      TEXT PRIMARY KEY,
    title   TEXT NOT NULL,
    channel TEXT NOT NULL,
    started TEXT NOT NULL,
    updated TEXT NOT NULL
) STRICT;
CREATE INDEX conversation_updated ON conversation (updated);

CREATE TABLE message (
    seq            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    conversation   TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    at             TEXT NOT NULL,
    user           TEXT NOT NULL,
    reply          TEXT NOT NULL,
    quoted         TEXT NOT NULL,
    level          INTEGER NOT NULL CHECK (level IN (1, 2, 3)),
    level_why      TEXT NOT NULL,
    model_provider TEXT NOT NULL,
    model_name     TEXT NOT NULL,
    complete       INTEGER NOT NULL CHECK (complete IN (0, 1)),
    report         TEXT NOT NULL,
    timings        TEXT NOT NULL,
    receipts       TEXT NOT NULL,
    usage          TEXT NOT NULL
) STRICT;
CREATE INDEX message_conversation ON message (conversation, seq);

CREATE VIRTUAL TABLE message_text USING fts5 (
    user, reply, content = 'message', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER message_inserted AFTER INSERT ON message BEGIN
    INSERT INTO message_text (rowid, user, reply) VALUES (new.seq, new.user, new.reply);
END;
CREATE TRIGGER message_deleted AFTER DELETE ON message BEGIN
    INSERT INTO message_text (message_text, rowid, user, reply) VALUES ('delete', old.seq, old.user, old.reply);
END;
CREATE TRIGGER message_updated AFTER UPDATE ON message BEGIN
    INSERT INTO message_text (message_text, rowid, user, reply) VALUES ('delete', old.seq, old.user, old.reply);
    INSERT INTO message_text (rowid, user, reply) VALUES (new.seq, new.user, new.reply);
END;
"""
"""Version 1: what was said."""

# Times are microseconds since 1970 UTC. Columns from `began` on are the statistics that all dynamics are computed from;
# `recent` holds the newest times of access, newest first, each 8 bytes, little-endian.
_MEMORY = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('epoch', lower(hex(randomblob(16))));

CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES ('revision', 0);

CREATE TABLE memory (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    revision       INTEGER NOT NULL DEFAULT 0,
    content        TEXT NOT NULL CHECK (content <> ''),
    kind           TEXT NOT NULL DEFAULT 'semantic' CHECK (kind IN
                       ('sensory', 'working', 'episodic', 'semantic', 'procedural', 'prospective', 'summary')),
    class          TEXT NOT NULL DEFAULT 'learned' CHECK (class IN ('innate', 'learned')),
    level          INTEGER NOT NULL DEFAULT 2 CHECK (level IN (1, 2, 3)),
    status         TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'superseded', 'archived', 'deleted')),
    trust          TEXT NOT NULL DEFAULT 'owner' CHECK (trust IN ('untrusted', 'external', 'assistant', 'owner')),
    namespace      TEXT NOT NULL DEFAULT 'default',
    agent          TEXT NOT NULL DEFAULT '',
    user           TEXT NOT NULL DEFAULT '',
    path           TEXT NOT NULL DEFAULT '',
    origin         TEXT NOT NULL DEFAULT '',
    channel        TEXT NOT NULL DEFAULT '',
    conversation   TEXT NOT NULL DEFAULT '',
    message        TEXT NOT NULL DEFAULT '',
    author         TEXT NOT NULL DEFAULT '',
    source         TEXT NOT NULL DEFAULT '',
    at             INTEGER NOT NULL,
    valid_from     INTEGER,
    valid_until    INTEGER,
    expires_at     INTEGER,
    importance     REAL NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
    confidence     REAL NOT NULL DEFAULT 1.0 CHECK (confidence BETWEEN 0 AND 1),
    pinned         INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    concept        TEXT NOT NULL DEFAULT '',
    tags           TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    metadata       TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
    details        TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details)),
    created        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    began          INTEGER NOT NULL,
    last_access    INTEGER NOT NULL,
    access_count   INTEGER NOT NULL DEFAULT 0,
    recent         BLOB NOT NULL DEFAULT x'' CHECK (length(recent) % 8 = 0),
    heat_bias      REAL NOT NULL DEFAULT 0,
    stability_days REAL NOT NULL DEFAULT 5.0,
    stability      REAL NOT NULL DEFAULT 0.3,
    r1             REAL NOT NULL DEFAULT 1.0,
    r2             REAL NOT NULL DEFAULT 0.0,
    chain_at       INTEGER NOT NULL DEFAULT 0,
    usage          INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX memory_revision ON memory (revision);
CREATE INDEX memory_namespace ON memory (namespace, kind, seq);
CREATE INDEX memory_innate ON memory (namespace, class) WHERE class = 'innate';
CREATE INDEX memory_status ON memory (status, seq) WHERE status <> 'active';
CREATE INDEX memory_expires ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_conversation ON memory (conversation, at) WHERE conversation <> '';
CREATE INDEX memory_task ON memory (json_extract(details, '$.task')) WHERE kind = 'working';

CREATE VIRTUAL TABLE memory_text USING fts5 (
    content, concept, author, content = 'memory', content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN
    INSERT INTO memory_text (memory_text, rowid, content, concept, author)
    VALUES ('delete', old.seq, old.content, old.concept, old.author);
END;
CREATE TRIGGER memory_reworded AFTER UPDATE OF content, concept, author ON memory BEGIN
    INSERT INTO memory_text (memory_text, rowid, content, concept, author)
    VALUES ('delete', old.seq, old.content, old.concept, old.author);
    INSERT INTO memory_text (rowid, content, concept, author)
    VALUES (new.seq, new.content, new.concept, new.author);
END;
"""

# The change feed holds whoever changes a row, also from a shell. What Nola inserts has its revision already; its words
# are indexed by one statement for many rows, since FTS5 writes everything out before each statement that has triggers.
_FEED = """
CREATE TABLE tombstone (
    seq       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    revision  INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    at        INTEGER,
    digest    BLOB
) STRICT;
CREATE INDEX tombstone_revision ON tombstone (revision);
CREATE INDEX tombstone_digest ON tombstone (namespace, digest) WHERE digest IS NOT NULL;
CREATE TRIGGER memory_came AFTER INSERT ON memory WHEN new.revision = 0 BEGIN
    UPDATE counter SET value = value + 1 WHERE name = 'revision';
    UPDATE memory SET revision = (SELECT value FROM counter WHERE name = 'revision') WHERE seq = new.seq;
    INSERT INTO memory_text (rowid, content, concept, author)
    VALUES (new.seq, new.content, new.concept, new.author);
END;
CREATE TRIGGER memory_changed AFTER UPDATE ON memory WHEN new.revision = old.revision BEGIN
    UPDATE counter SET value = value + 1 WHERE name = 'revision';
    UPDATE memory SET revision = (SELECT value FROM counter WHERE name = 'revision') WHERE seq = new.seq;
END;
CREATE TRIGGER memory_went AFTER DELETE ON memory
WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE seq = old.seq) BEGIN
    UPDATE counter SET value = value + 1 WHERE name = 'revision';
    INSERT INTO tombstone (seq, id, revision, namespace)
    VALUES (old.seq, old.id, (SELECT value FROM counter WHERE name = 'revision'), old.namespace);
END;
"""

# A conflict that REPLACE resolves deletes a row without any DELETE trigger, so what collides is refused as well.
_PROTECTION = """
CREATE TRIGGER innate_kept BEFORE UPDATE OF
    seq, id, content, kind, class, level, status, trust, namespace, agent, user, path, origin, channel,
    conversation, message, author, source, at, valid_from, valid_until, expires_at, importance, confidence,
    pinned, concept, tags, metadata, details, created, updated, began, last_access, access_count, recent,
    heat_bias, stability_days, stability, r1, r2, chain_at, usage
ON memory WHEN old.class = 'innate' BEGIN
    SELECT RAISE(ABORT, 'protected');
END;
CREATE TRIGGER innate_stays BEFORE DELETE ON memory WHEN old.class = 'innate' BEGIN
    SELECT RAISE(ABORT, 'protected');
END;
CREATE TRIGGER innate_not_replaced BEFORE INSERT ON memory
WHEN EXISTS (SELECT 1 FROM memory WHERE id = new.id AND class = 'innate')
    OR EXISTS (SELECT 1 FROM memory WHERE seq = new.seq AND class = 'innate') BEGIN
    SELECT RAISE(ABORT, 'protected');
END;
CREATE TRIGGER memory_named_once BEFORE UPDATE OF seq, id ON memory
WHEN new.seq <> old.seq OR new.id <> old.id BEGIN
    SELECT RAISE(ABORT, 'an id never changes');
END;
"""

_EDGES = """
CREATE TABLE edge (
    seq        INTEGER PRIMARY KEY,
    source     INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    target     INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('similar_to', 'derives_from', 'procedure_derives_from', 'consolidates',
                   'attended_to', 'associated', 'cites', 'contradicts', 'supersedes', 'parent_of')),
    weight     REAL NOT NULL DEFAULT 1.0 CHECK (weight BETWEEN 0 AND 1),
    count      INTEGER NOT NULL DEFAULT 1,
    created    INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    properties TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(properties)),
    UNIQUE (source, kind, target),
    CHECK (source <> target),
    CHECK (source < target OR kind NOT IN ('similar_to', 'associated', 'contradicts'))
) STRICT;
CREATE INDEX edge_target ON edge (target, kind);
CREATE TRIGGER innate_not_superseded BEFORE INSERT ON edge
WHEN new.kind IN ('supersedes', 'consolidates')
    AND EXISTS (SELECT 1 FROM memory WHERE seq = new.target AND class = 'innate') BEGIN
    SELECT RAISE(ABORT, 'protected');
END;
CREATE TRIGGER innate_not_superseded_later BEFORE UPDATE OF kind, target ON edge
WHEN new.kind IN ('supersedes', 'consolidates')
    AND EXISTS (SELECT 1 FROM memory WHERE seq = new.target AND class = 'innate') BEGIN
    SELECT RAISE(ABORT, 'protected');
END;

CREATE TABLE pair (
    low   INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    high  INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    count INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    PRIMARY KEY (low, high),
    CHECK (low < high)
) STRICT, WITHOUT ROWID;
CREATE INDEX pair_high ON pair (high);
"""

_LOGS = """
CREATE TABLE event (
    memory INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    what   TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail)),
    PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER event_kept BEFORE UPDATE ON event BEGIN
    SELECT RAISE(ABORT, 'an event is never changed');
END;
CREATE TRIGGER event_stays BEFORE DELETE ON event WHEN EXISTS (SELECT 1 FROM memory WHERE seq = old.memory) BEGIN
    SELECT RAISE(ABORT, 'an event goes only with its memory');
END;

CREATE TABLE access (
    memory  INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    request TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (memory, request)
) STRICT, WITHOUT ROWID;
"""

# All of it can be dropped and made again from the content.
_DERIVED = """
CREATE TABLE vector (
    model      TEXT NOT NULL,
    memory     INTEGER NOT NULL REFERENCES memory (seq) ON DELETE CASCADE,
    dimensions INTEGER NOT NULL,
    scale      REAL NOT NULL,
    numbers    BLOB NOT NULL CHECK (length(numbers) = dimensions),
    PRIMARY KEY (model, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_memory ON vector (memory);
CREATE TRIGGER memory_means_another AFTER UPDATE OF content ON memory WHEN new.content <> old.content BEGIN
    DELETE FROM vector WHERE memory = new.seq;
END;

CREATE TABLE segment (
    id        INTEGER PRIMARY KEY,
    documents INTEGER NOT NULL,
    revision  INTEGER NOT NULL,
    about     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(about))
) STRICT;
CREATE TABLE posting (
    segment INTEGER NOT NULL REFERENCES segment (id) ON DELETE CASCADE,
    term    TEXT NOT NULL,
    rows    BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX posting_term ON posting (term, segment);
CREATE INDEX posting_segment ON posting (segment);
"""

PROTECTION = """
DROP TRIGGER memory_named_once;
CREATE TRIGGER memory_named_once BEFORE UPDATE ON memory WHEN new.seq <> old.seq OR new.id <> old.id BEGIN
    SELECT RAISE(ABORT, 'an id never changes');
END;
"""
"""Version 3: the number of a row can't be changed under the name `rowid` either."""

MEMORIES = _MEMORY + _FEED + _PROTECTION + _EDGES + _LOGS + _DERIVED
"""Version 2: what was learned."""
