/**
 * TPC-C as stored procedures of DAST (section 6): one shard is one warehouse.
 *
 * <p>Reduced: columns that no transaction computes with are left out; the item table is a function
 * of the item's number, known everywhere; tables are empty at first and a row that was never
 * written has its initial values; a new order is never rolled back for an unused item.
 */
package dev.plumbline.dast.tpcc;
