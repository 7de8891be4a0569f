-- chain/publishing: where in its block the transaction is, so that the last one is known

alter table publication add column tx_index integer;
