import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pipelines } from '../../server/src/testing/pipelines.ts'
import { skipReason } from './environment.ts'
import { type Installation, startInstallation } from './installation.ts'
import { readRunOutput, registerTenant } from './organizations.ts'

let root: string
let installation: Installation
let tenant: Pipelines

beforeAll(async () => {
  if (skipReason) return
  root = await mkdtemp('/var/tmp/sluice-artifacts-') // programs have their own writable /tmp
  await chmod(root, 0o711)
  installation = await startInstallation(root)
  tenant = await registerTenant(installation.url, 'Tenant A')
}, 300_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  if (root) await rm(root, { recursive: true, force: true })
}, 60_000)

const command = (id: string, needs: string[], given: object) => ({
  id,
  needs,
  type: 'command',
  on_failure: 'continue',
  with: given,
})

describe.skipIf(skipReason)(`artifacts of isolated steps${skipReason ? ` [${skipReason}]` : ''}`, () => {
  test('are passed on, and links in them lead to nothing that the step cannot read', async () => {
    const key = join(installation.dataDir, 'encryption-key')
    const build = 'mkdir -p dist && printf "#!/bin/sh\necho passed on\n" >dist/run && chmod +x dist/run'
    const upload = [{ name: 'dist', paths: ['dist'] }]
    const run = await tenant.run([
      command('build', [], { shell: build, artifacts: { upload } }),
      command('use', ['build'], {
        shell: './in/dist/run && echo more >in/dist/new && ls in/dist',
        artifacts: { download: [{ name: 'dist', path: 'in' }] },
      }),
      command('steal', [], {
        shell: `mkdir dist && ln -s ${key} dist/key`,
        artifacts: { upload: [{ name: 'stolen', paths: ['dist'] }] },
      }),
      command('steal-folder', [], {
        shell: `ln -s ${installation.dataDir} dist`,
        artifacts: { upload: [{ name: 'stolen-folder', paths: ['dist/*', 'dist'] }] },
      }),
    ])
    await tenant.untilOver(run.id, 200_000)
    const shown = await readRunOutput(tenant, run.id)

    expect(await tenant.step(run.id, 'build'), shown.build).toMatchObject({ status: 'SUCCESS' })
    expect(await tenant.step(run.id, 'use'), shown.use).toMatchObject({ status: 'SUCCESS' })
    expect(shown.use).toMatch(/passed on\nnew\nrun\n/)
    for (const id of ['steal', 'steal-folder']) {
      const { error, status } = await tenant.step(run.id, id)
      expect([status, error?.code], shown[id]).toEqual(['ERROR', 'Sluice:PipelineRuns:ARTIFACT_INVALID'])
    }
    for (const text of Object.values(shown)) {
      for (const secret of installation.secrets) expect(text).not.toContain(secret)
    }
  })
})
