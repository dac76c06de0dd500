import { openCloud } from '../src/cloud/adapter/access.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { World } from '../src/testing/world.ts'

/**
 * Runs inside an earlier version, because only that knows its database: creates an organization with a service for each
 * strategy, and prints their IDs.
 */
const { databaseUrl, apiUrl, cloudUrl, strategies } = JSON.parse(process.argv[2] ?? '')
process.env.AWS_ACCESS_KEY_ID = 'operator'
process.env.AWS_SECRET_ACCESS_KEY = 'operator'
const { db, close } = await openDatabase({ url: databaseUrl })
const access = openCloud({ endpoint: cloudUrl })
const organization = await new World(apiUrl, db, cloudUrl, access, async () => {}).organization()
const moduleInstanceIds: string[] = []
for (const strategy of strategies) moduleInstanceIds.push((await organization.service(strategy)).moduleInstanceId)
const { projectId } = organization.pipelines
console.log(JSON.stringify({ token: organization.client.token, projectId, moduleInstanceIds }))
access.close()
await close()
