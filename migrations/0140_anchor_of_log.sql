-- chain/anchoring: anchors of the witnessed log, which has the tree and the agents in it

alter table anchor drop constraint anchor_kind_check;
alter table anchor add constraint anchor_kind_check check (kind in ('manual', 'automatic', 'log'));
