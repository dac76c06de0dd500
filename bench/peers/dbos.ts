import { DBOS } from '@dbos-inc/dbos-sdk'
import { present } from '@sluice/server/platform/present'
import { createEmptyDatabase } from '@sluice/server/testing/database'
import { runProgram } from '../programs.ts'
import { measure } from './measured.ts'

/**
 * Workflow of steps as in the programming guide: each step's result is stored before the next begins. All workflows run
 * in this process with unlimited concurrency. https://docs.dbos.dev/typescript/programming-guide (2026-11-25)
 */
await measure(async ({ steps }) => {
  const database = await createEmptyDatabase()
  const workflow = DBOS.registerWorkflow(
    async () => {
      for (let step = 0; step < steps; step += 1) await DBOS.runStep(runProgram, { name: `s${step}` })
    },
    { name: 'steps' },
  )
  const place = present({ systemDatabaseUrl: database.url })
  DBOS.setConfig({ name: 'bench', applicationVersion: '1', logLevel: 'error', ...place })
  await DBOS.launch()
  return {
    async runAll(runs) {
      const handles = await Promise.all(Array.from({ length: runs }, () => DBOS.startWorkflow(workflow)()))
      await Promise.all(handles.map((handle) => handle.getResult()))
    },
    async [Symbol.asyncDispose]() {
      await DBOS.shutdown()
      await database.drop()
    },
  }
})
