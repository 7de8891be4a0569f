-- fleet/coherence: pairs beyond one organisation count for the side whose organisation asked

-- Results of comparing an agent with one of another organisation, asked for by its own. Pairs
-- within an organisation stay in coherence_pair.
create table coherence_across (
  org_id text not null,
  agent_id text collate "C" not null,
  peer_id text collate "C" not null,
  score_e4 smallint not null check (score_e4 between 0 and 10000),
  -- The time from which the record has counted with this score.
  since timestamptz(3) not null,
  checked_at timestamptz(3) not null,
  primary key (org_id, agent_id, peer_id)
) with (fillfactor = 80);
create index coherence_across_by_agent on coherence_across (agent_id);
create index coherence_across_by_peer on coherence_across (peer_id);

alter table coherence_past add column across_orgs boolean not null default false;

-- Version 0.1 did not store who had compared agents of two organisations, so these pairs count for
-- neither any more. They stay listed while a score that counted them may be published.
with gone as (
  delete from coherence_pair p using agent a, agent b
  where a.agent_id = p.agent_a and b.agent_id = p.agent_b and a.org_id <> b.org_id
  returning p.*)
insert into coherence_past (agent_id, peer_id, score_e4, since, checked_at, superseded_at)
select agent_a, agent_b, score_e4, since, checked_at, now() from gone
union all
select agent_b, agent_a, score_e4, since, checked_at, now() from gone;
