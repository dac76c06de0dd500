import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PipelineStepExecution } from '@sluice/contract'
import { expect } from 'vitest'
import { missingToolReason } from '../infrastructure/iac-steps/iac-world.fixture.ts'
import { startWorld } from './world.ts'

const mirror = process.env.SLUICE_TEST_PLUGIN_MIRROR ?? ''

/** Reason why the AWS provider is unavailable on this machine, or undefined. */
export const missingProviderReason =
  (await missingToolReason()) ?? (mirror === '' ? 'skipped: provider mirror' : undefined)

/** Timeout of a run in milliseconds. The provider waits minutes for load balancers and distributions. */
const runWithinMs = 600_000
/** Timeout of a test with several runs, in milliseconds; the limit of the suite ends one that stands still sooner. */
export const testWithinMs = 1_500_000

/**
 * Returns the settings with which runners install providers from the mirror, writing a file to the folder. Empty
 * without a mirror.
 */
export async function mirrorSettings(directory: string): Promise<Record<string, string>> {
  if (missingProviderReason !== undefined) return {}
  const cliConfig = join(directory, 'tool.rc')
  await writeFile(cliConfig, `provider_installation {\n  filesystem_mirror { path = ${JSON.stringify(mirror)} }\n}\n`)
  return { SLUICE_IAC_CLI_CONFIG: cliConfig }
}

/** Starts a test environment with the AWS provider and a stack of this configuration. */
export async function startProviderWorld({ givenId, main }: { givenId: string; main: string }) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-mirror-'))
  const world = await startWorld({ env: await mirrorSettings(directory) })
  const organization = await world.organization({ mayDoAll: true })
  const { client, pipelines, cloudAccountId } = organization
  const data = { projectId: pipelines.projectId, givenId, name: givenId }
  const { id: stackId } = await client.done<{ id: string }>('POST', '/stacks', { data })
  const source = { files: { 'main.tf': main } }
  const work = { stack: givenId, source, cloud_account_id: cloudAccountId, cloud_region: 'eu-west-1' }

  /** Runs steps, which must succeed. */
  async function run(...steps: object[]): Promise<PipelineStepExecution[]> {
    const { id } = await pipelines.run(steps)
    const { status } = await pipelines.untilOver(id, runWithinMs)
    const told = await pipelines.steps(id)
    expect(status, JSON.stringify(told.map(({ error }) => error))).toBe('SUCCESS')
    return told
  }

  return {
    world,
    organization,
    stackId,
    plan: async () => (await run({ id: 'plan', type: 'iac:plan', with: work }))[0]?.outputData,
    async apply<Outputs>() {
      const [plan, apply] = await run({ id: 'plan', type: 'iac:plan', with: work }, { id: 'apply', type: 'iac:apply' })
      return { planned: plan?.outputData, outputs: apply?.outputData?.outputs as Outputs }
    },
    drift: async () => (await run({ id: 'look', type: 'iac:drift', with: work }))[0],
    destroy: () => run({ id: 'away', type: 'iac:destroy', with: work }),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
