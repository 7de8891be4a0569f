-- evidence/agents: ids are compared in canonical form, and ids that look alike are refused

-- Equal to canonicalAgentId and agentIdSkeleton of packages/protocol; neither depends on a locale.
-- Not unique: agents of before may collide, and those of one organisation may look alike.
alter table agent
  add column canonical_id text collate "C" not null generated always as
    (translate(agent_id, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) stored,
  add column skeleton text collate "C" not null generated always as
    (translate(agent_id, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ01i_.', 'abcdefghljklmnopqrstuvwxyzoll--')) stored;
create index agent_by_canonical_id on agent (canonical_id);
create index agent_by_skeleton on agent (skeleton);

-- Null for ids that were erased before.
alter table agent_tombstone
  add column canonical_hash text,
  add column skeleton_hash text;
create index agent_tombstone_by_canonical on agent_tombstone (canonical_hash);
create index agent_tombstone_by_skeleton on agent_tombstone (skeleton_hash);
