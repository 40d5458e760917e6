create table orders (id bigint primary key, version int not null, customer varchar(255));
create sequence orders_seq start with 1 increment by 50;
-- A function's body has semicolons of its own.
create function shout(t text) returns text language plpgsql immutable as $$ begin return upper(t); end $$;
