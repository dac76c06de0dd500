import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { takeFatalError } from './fatal-error.ts'
import { type Installation, type InstallationOptions, openInstallation } from './installation.ts'

/** Starts an installation for the current test. Data of a failed test is kept. */
export async function startInstallation<People>(wishes: InstallationOptions<People>): Promise<Installation<People>> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-installation-'))
  const installation = await openInstallation(directory, wishes)
  onTestFinished(async ({ task }) => {
    const failure = takeFatalError()
    await installation.stop()
    if (task.result?.state === 'fail') return console.log(failure?.message ?? `what the processes wrote: ${directory}`)
    if (failure) throw failure // no wait has thrown it
    await rm(directory, { recursive: true, force: true })
  })
  return installation
}
