-- fleet/coherence: how well pairs of agents go together, as it was last seen

-- One record per pair, the smaller id first. Only what is in no index changes, in place.
create table coherence_pair (
  agent_a text collate "C" not null,
  agent_b text collate "C" not null,
  score_e4 smallint not null check (score_e4 between 0 and 10000),
  -- Since when it has stood so, with no gap in which it would have counted no more.
  since timestamptz(3) not null,
  checked_at timestamptz(3) not null,
  primary key (agent_a, agent_b),
  check (agent_a < agent_b)
) with (fillfactor = 80);
create index coherence_pair_by_b on coherence_pair (agent_b);

-- Records that gave way, for as long as a published score may rest on them.
create table coherence_past (
  agent_id text not null,
  -- Null once the peer is erased.
  peer_id text,
  score_e4 smallint not null,
  since timestamptz(3) not null,
  checked_at timestamptz(3) not null,
  superseded_at timestamptz(3) not null
);
create index coherence_past_by_agent on coherence_past (agent_id, superseded_at);
create index coherence_past_by_peer on coherence_past (peer_id);
create index coherence_past_by_end on coherence_past (superseded_at);
