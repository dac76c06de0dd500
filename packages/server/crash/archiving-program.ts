import { flushCompileCache } from 'node:module'
import { pino } from 'pino'
import { archiveDeployments } from '../src/delivery/deployment-archives/archiving.ts'
import { archiveLogs } from '../src/pipelines/step-logs/archiving.ts'
import { openFolder } from '../src/platform/archive/folder.ts'
import { createSeal } from '../src/platform/crypto/seal.ts'
import { openDatabase } from '../src/platform/db/open.ts'

/** Settings of the program: what to archive, the locations, and the offset of its clock. */
export type Archiving = {
  what: 'logs' | 'deployments'
  databaseUrl: string
  folder: string
  key: string
  aheadMs: number
}

// Program that archives once and exits.
const { what, databaseUrl, folder, key, aheadMs }: Archiving = JSON.parse(process.argv[2] ?? '')
process.once('disconnect', () => process.exit(1))
const { db, close } = await openDatabase({ url: databaseUrl })
flushCompileCache() // not at its exit, which a kill usually prevents
process.send?.('begins')
const clock = () => new Date(Date.now() + aheadMs)
const archiveSeal = createSeal([Buffer.from(key, 'base64')])
const parts = { db, archive: openFolder(folder), archiveSeal, clock, log: pino({ level: 'silent' }) }
await (what === 'logs' ? archiveLogs(parts) : archiveDeployments({ ...parts, afterDays: 0 }))
await close()
process.exit(0)
