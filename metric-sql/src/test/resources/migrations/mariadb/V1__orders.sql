create table orders (id bigint primary key, version int not null, customer varchar(255));
create sequence orders_SEQ start with 1 increment by 50;
-- A function's body has semicolons of its own.
delimiter //
create function shout(t varchar(255)) returns varchar(255) deterministic begin declare s varchar(255); set s = upper(t); return s; end //
delimiter ;
