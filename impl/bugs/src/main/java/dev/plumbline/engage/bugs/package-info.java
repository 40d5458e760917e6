/** Seeded bugs of ENGAGE: one for each repair that machines can lack, and more. */
package dev.plumbline.engage.bugs;
