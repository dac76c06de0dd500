import { randomBytes } from 'node:crypto'
import { failures } from '@sluice/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { usedBytes } from '../../platform/limits/stored.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { missingToolReason, startIacWorld } from './iac-world.fixture.ts'

const why = await missingToolReason()

async function worldWith(mosts: LimitValues) {
  const world = await startIacWorld({ mosts })
  onTestFinished(() => world[Symbol.asyncDispose]())
  return world
}

/** Incompressible value: about 3 KiB when stored. */
const large = randomBytes(2_000).toString('hex')

const files = (main: string) => ({ files: { 'main.tf': main } })
const one = files('resource "terraform_data" "one" { input = "x" }')

describe.skipIf(why !== undefined)(`an organization that stores as much as it may${why ? ` [${why}]` : ''}`, () => {
  test('applies an existing plan, rejects new plans, and destroys', async () => {
    const world = await worldWith({ storedStateBytes: 3_000 })
    const used = () => usedBytes(world.db, world.organizationId, 'storedStateBytes')
    const source = files(`resource "terraform_data" "one" { input = "${large}" }`)
    const given = { stack_id: await world.stack(), source }
    const runId = await world.run()
    expect((await world.do(runId, 'iac:plan', given)).outcome.status).toBe('SUCCESS')
    expect(await used()).toBe(0)
    expect((await world.do(runId, 'iac:apply', {})).outcome.status).toBe('SUCCESS')
    const afterApply = await used()
    expect(afterApply).toBeGreaterThan(3_000)

    const { outcome } = await world.do(await world.run(), 'iac:plan', given)
    expect(outcome).toMatchObject({
      status: 'ERROR',
      error: {
        code: failures.storageFull.code,
        message: expect.stringContaining(`storedStateBytes is reached: the organization has ${afterApply} bytes`),
        description: expect.stringContaining('Delete unused stacks'),
        metadata: { limit: 'storedStateBytes', most: 3_000 },
      },
    })
    expect((await world.do(await world.run(), 'iac:drift', given)).outcome.status).toBe('SUCCESS')
    expect((await world.do(await world.run(), 'iac:destroy', given)).outcome.status).toBe('SUCCESS')
    expect(await used(), 'every version is kept').toBeGreaterThan(afterApply)
  })

  test('rejects new plans until the pending ones are applied', async () => {
    const world = await worldWith({ storedPlanBytes: 1 })
    const used = () => usedBytes(world.db, world.organizationId, 'storedPlanBytes')
    const given = { stack_id: await world.stack(), source: one }
    const runId = await world.run()
    await world.do(runId, 'iac:plan', given)
    expect(await used()).toBeGreaterThan(100)
    const { outcome } = await world.do(await world.run(), 'iac:plan', { ...given, stack_id: await world.stack() })
    expect(outcome).toMatchObject({ error: { metadata: { limit: 'storedPlanBytes' } } })
    expect((await world.do(runId, 'iac:apply', {})).outcome.status).toBe('SUCCESS')
    expect(await used()).toBe(0)
  })

  test('rejects a plan that exceeds the operator’s limit', async () => {
    const world = await worldWith({ planBytes: 65_536 })
    const source = files(`resource "terraform_data" "one" { input = "${'x'.repeat(70_000)}" }`)
    const { outcome } = await world.do(await world.run(), 'iac:plan', { stack_id: await world.stack(), source })
    expect(outcome).toMatchObject({
      error: { code: failures.iacPlanFailed.code, message: expect.stringMatching(/\d{5,} bytes/) },
    })
  })
})
