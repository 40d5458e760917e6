create table line (
  id bigint auto_increment primary key,
  order_id bigint references orders (id),
  price decimal(12, 2),
  what varchar(255)
);
insert into orders values (-1, 0, 'made by a migration');
delete from orders where id = -1;
