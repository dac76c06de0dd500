import { eq, sql } from '../platform/db/drizzle.ts'
import type { Declarations } from '../platform/records.ts'
import { codeSources } from './code-sources/tables.ts'
import { githostaInstallations } from './githosta-installations/tables.ts'
import { githostbConnections } from './githostb-connections/tables.ts'
import { githostbInstances } from './githostb-instances/tables.ts'

/** Code sources refer to an installation by its number at GitHub. */
const numberOf = (id: string) => sql`(select ${githostaInstallations.githostaInstallationId}
  from ${githostaInstallations} where ${githostaInstallations.id} = ${id})`

export const gitRecords: Declarations = [
  {
    collection: 'code-sources',
    prefix: 'cs',
    label: 'code source',
    table: codeSources,
    dependsOn: {
      'githosta-installations': (id) => eq(sql`${codeSources.auth} ->> 'githostaInstallationId'`, numberOf(id)),
      'githostb-connections': (id) => eq(sql`${codeSources.auth} ->> 'githostbConnectionId'`, id),
    },
  },
  { collection: 'githosta-installations', prefix: 'gha', label: 'installation', table: githostaInstallations },
  { collection: 'githostb-instances', prefix: 'ghi', label: 'instance', table: githostbInstances },
  {
    collection: 'githostb-connections',
    prefix: 'ghb',
    label: 'connection',
    table: githostbConnections,
    dependsOn: { 'githostb-instances': githostbConnections.instanceId },
  },
]
