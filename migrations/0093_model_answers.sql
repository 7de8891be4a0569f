-- gateway/turns: answers that a provider keeps and the client's next request continues

create table model_answer (
  org_id text not null,
  agent_id text not null,
  -- The id of a response, or `conversation ` and that of a conversation.
  answer_id text not null,
  session_id text not null,
  -- [{call_id, kind, text}]: refused calls whose output the provider still awaits.
  refused jsonb not null,
  created_at timestamptz not null,
  primary key (org_id, agent_id, answer_id)
);
create index model_answer_by_agent on model_answer (agent_id);
create index model_answer_by_time on model_answer (created_at);
