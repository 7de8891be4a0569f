-- evidence/cards: amendments in the order of the versions that made them

create index card_amendment_by_version on card_amendment (agent_id, to_version, amendment_id);
