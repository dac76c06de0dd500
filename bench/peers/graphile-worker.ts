import { EventEmitter } from 'node:events'
import { present } from '@sluice/server/platform/present'
import { createEmptyDatabase } from '@sluice/server/testing/database'
import { Logger, run } from 'graphile-worker'
import { runProgram } from '../programs.ts'
import { measure } from './measured.ts'

/**
 * Queue of jobs without workflows: each job runs its program and adds the next. The connection pool has the recommended
 * size. https://worker.graphile.org/docs/library/run (2026-11-25)
 */
await measure(async ({ steps, abreast }) => {
  const database = await createEmptyDatabase()
  const ended = new EventEmitter()
  const worker = await run({
    ...present({ connectionString: database.url }),
    concurrency: abreast,
    maxPoolSize: Math.max(10, abreast + 2),
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: {
      async step(payload, { addJob }) {
        const { step } = payload as { step: number }
        await runProgram()
        if (step < steps) await addJob('step', { step: step + 1 })
      },
    },
  })
  worker.events.on('job:complete', ({ job, error }) => {
    if (error) ended.emit('error', error)
    else if ((job.payload as { step: number }).step === steps) ended.emit('run')
  })
  return {
    async runAll(runs) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      let left = runs
      const count = () => {
        left -= 1
        if (left === 0) resolve()
      }
      ended.on('run', count).once('error', reject)
      await Promise.all(Array.from({ length: runs }, () => worker.addJob('step', { step: 1 })))
      await promise
      ended.removeAllListeners()
    },
    async [Symbol.asyncDispose]() {
      await worker.stop()
      await database.drop()
    },
  }
})
