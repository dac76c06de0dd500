import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuTimeMs } from '../../../../../testing/cpu-time.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { readPlan } from '../adapter/plan.ts'
import { markCurrent, recordResources, resourcesOfStep } from './record.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database?.close())

const count = 5_000
const addressOf = (index: number) => `module.fleet["m${index % 50}"].cloud_instance.web[${index}]`

/** Returns a plan with machines that have as many attributes as in a real cloud. */
const planOf = () => ({
  resource_changes: Array.from({ length: count }, (_, index) => ({
    address: addressOf(index),
    module_address: `module.fleet["m${index % 50}"]`,
    mode: 'managed',
    type: 'cloud_instance',
    name: 'web',
    index,
    provider_name: 'registry.example/acme/cloud',
    change: {
      actions: ['create'],
      before: null,
      after: {
        name: `web-${index}`,
        image: 'img-0123456789abcdef0',
        password: `secret-${index}`,
        tags: Object.fromEntries(Array.from({ length: 20 }, (__, tag) => [`tag-${tag}`, `value ${tag} of ${index}`])),
        disks: [{ size: 100, encrypted: true }],
      },
      after_unknown: { id: true, arn: true, disks: [{ id: true }] },
      before_sensitive: false,
      after_sensitive: { password: true },
    },
  })),
})

test('a plan of 5,000 resources is stored at once and without duplicates', async () => {
  const { db } = database
  const { organizationId, byPath } = await createOneOfEverything(db)
  const stackId = byPath.stacks ?? ''
  const stepExecutionId = byPath['pipeline-step-executions'] ?? ''
  const place = {
    organizationId,
    stackId,
    stepExecutionId,
    pipelineId: byPath.pipelines ?? '',
    pipelineRunId: byPath['pipeline-runs'] ?? '',
  }
  const text = JSON.stringify(planOf())
  const store = async () => {
    const started = cpuTimeMs()
    const { resources } = readPlan(JSON.parse(text))
    const found = resources.map(({ before, after, isInState, isTainted, ...resource }) => ({
      ...resource,
      isInCurrentState: isInState,
      tainted: isTainted,
      runType: 'PLAN' as const,
      vendorData: { before, after },
    }))
    await db.transaction((tx) => recordResources(tx, place, found))
    return cpuTimeMs() - started
  }
  // Takes about a second; one statement per resource would take minutes.
  expect(await store()).toBeLessThan(20_000)
  expect(await store(), 'again, instead of the first').toBeLessThan(20_000)
  const rows = await resourcesOfStep(db, organizationId, stepExecutionId)
  expect(rows.map(({ address }) => address)).toEqual(Array.from({ length: count }, (_, index) => addressOf(index)))
  expect(rows[7]?.vendorData.after).toMatchObject({ id: '(known after apply)', password: '(sensitive)', name: 'web-7' })

  // All but the first ten resources still exist.
  const workspace = { organizationId, stackId, workspaceId: byPath['stack-workspaces'] ?? '' }
  const started = cpuTimeMs()
  await markCurrent(
    db,
    workspace,
    Array.from({ length: count - 10 }, (_, index) => addressOf(index + 10)),
  )
  expect(cpuTimeMs() - started).toBeLessThan(20_000)
  const marked = await resourcesOfStep(db, organizationId, stepExecutionId)
  expect(marked.filter(({ isInCurrentState }) => !isInCurrentState)).toHaveLength(10)
})
