import { text, timestamp } from './drizzle.ts'

/** Defines a timestamp column with millisecond precision, in UTC. */
export const timestampColumn = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** Columns of every resource. */
export const recordColumns = {
  id: text('id').primaryKey(),
  createdAt: timestampColumn('created_at').notNull().defaultNow(),
  updatedAt: timestampColumn('updated_at').notNull().defaultNow(),
}
