/** Seeded bugs: each is caught, which shows that the checks can fail. Off the class path. */
package ${package}.bugs;
