-- governance/tool-pins: definitions of the tools that MCP servers list to agents

create table tool_pin (
  org_id text not null,
  agent_id text not null,
  server text not null,
  -- The server's own name of the tool.
  tool text not null,
  -- Canonical JSON, as it was hashed. Not jsonb, which cannot hold every string of JSON.
  definition text not null,
  sha256 text not null,
  pinned_at timestamptz not null,
  -- Null for a definition that was pinned when it was first seen.
  pinned_by text,
  -- The newest definition that differs, until a person decides about it.
  changed_definition text,
  changed_sha256 text,
  changed_at timestamptz,
  primary key (org_id, agent_id, server, tool),
  check ((changed_definition is null) = (changed_sha256 is null)),
  check ((changed_definition is null) = (changed_at is null))
);
create index tool_pin_by_agent on tool_pin (agent_id);
create index tool_pin_changed on tool_pin (agent_id) where changed_sha256 is not null;
