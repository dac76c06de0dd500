import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isProgram, run } from './programs.ts'

const folder = fileURLToPath(new URL('../systemd', import.meta.url))
const units = ['sluice.service', 'sluice-runner.service']
const whyNoSystemd = (await isProgram('systemd-analyze')) ? undefined : 'skipped: systemd-analyze'

/** A unit whose program is there. */
function installed(unit: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-unit-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'bin/sluice'), '#!/bin/sh\n')
  chmodSync(join(directory, 'bin/sluice'), 0o755)
  const file = join(directory, unit)
  writeFileSync(file, readFileSync(join(folder, unit), 'utf8').replaceAll('/opt/sluice', directory))
  return file
}

test.for(units)('systemd understands every line of %s', async (unit, { skip }) => {
  skip(whyNoSystemd !== undefined, whyNoSystemd)
  const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', installed(unit)])
  expect(stdout + stderr).toBe('')
})

test.for(units)('systemd finds %s hardened', async (unit, { skip }) => {
  skip(whyNoSystemd !== undefined, whyNoSystemd)
  // Of 100, where 96 is a unit that restricts nothing. What sandboxes need costs most of the rest.
  const options = ['security', '--offline=true', '--threshold=50', '--no-pager', installed(unit)]
  await expect(run('systemd-analyze', options), 'Overall exposure level').resolves.toBeDefined()
})

/** Each takes from programs of steps what their sandbox is made of. */
const without = [
  'RestrictNamespaces',
  'PrivateUsers',
  'PrivateDevices',
  'ProtectProc',
  'ProcSubset',
  'ProtectKernelTunables',
]
without.push(
  'ProtectKernelLogs',
  'ProtectControlGroups',
  'ProtectHostname',
  'MemoryDenyWriteExecute',
  'SystemCallFilter',
)

test.for(units)('%s lets sandboxes be made', (unit) => {
  const names = readFileSync(join(folder, unit), 'utf8').matchAll(/^(\w+)=/gm)
  expect([...names].map(([, name = '']) => name).filter((name) => without.includes(name))).toEqual([])
})
