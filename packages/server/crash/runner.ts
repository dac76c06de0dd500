import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { createRepositories } from '../src/infrastructure/adapter/repositories.ts'
import { commandSources } from '../src/infrastructure/iac-steps/command-source.ts'
import { pipelineStepExecutions } from '../src/pipelines/pipelines/tables.ts'
import { commandWork } from '../src/pipelines/runner/command.ts'
import { startRunner } from '../src/pipelines/runner/runner.ts'
import { rememberRunnerId } from '../src/pipelines/runner/runner-id.ts'
import { Bell } from '../src/pipelines/step-logs/bell.ts'
import { listChunks } from '../src/pipelines/step-logs/store.ts'
import { createSeal } from '../src/platform/crypto/seal.ts'
import { openDataDir } from '../src/platform/data-dir/open.ts'
import { eq } from '../src/platform/db/drizzle.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { connectEngine } from '../src/platform/engine/client.ts'

/** A runner as a program of its own, which tells what stands in its database: nobody else can open an embedded one. */
process.once('disconnect', () => process.exit(1))
const [path = '', location = ''] = process.argv.slice(2)
const dataDir = await openDataDir(path)
const { db } = await openDatabase(location === '' ? { directory: dataDir.inside('database') } : { url: location })

process.on('message', async (id: string) => {
  const [step] = await db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
  const chunks = await listChunks(db, step?.organizationId ?? '', id, { after: 0, limit: 10_000 })
  const sequences = chunks.map(({ sequence }) => sequence)
  process.send?.({ step, sequences, log: chunks.map(({ text }) => text).join('') })
})
const repositories = createRepositories({ directory: dataDir.inside('repositories'), guard: async () => [] })
await startRunner({
  db,
  engine: connectEngine({ url: 'http://127.0.0.1:9' }), // what is told to it is lost: the rows say all
  seal: createSeal(randomBytes(32)),
  clock: () => new Date(),
  log: pino({ level: 'silent' }),
  bell: new Bell(),
  works: { command: commandWork(commandSources({ db, repositories })) },
  runnerId: await rememberRunnerId(dataDir),
  directory: dataDir.inside('runner'),
  capacity: 4,
  pace: { lookMs: 50, heartbeatMs: 500, leaseMs: 30_000 },
  stopPace: { afterIntMs: 500, afterTermMs: 500 },
})
process.send?.('ready')
