import { DBOS } from '@dbos-inc/dbos-sdk'
import { present } from '@sluice/server/platform/present'
import { createEmptyDatabase } from '@sluice/server/testing/database'
import { runProgram } from '../programs.ts'
import { measure } from './measured.ts'

/**
 * A workflow of steps, as the programming guide has it: what each step returned is kept before the next begins. All
 * workflows are started in this process, which carries them out, as many at a time as there are.
 * https://docs.dbos.dev/typescript/programming-guide (2026-11-25)
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
