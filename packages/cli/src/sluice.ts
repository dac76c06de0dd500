import { Command } from 'commander'
import { endWith } from './end-with.ts'
import { describeVersion, version } from './version.ts'

/** A command line without commands. Each loads its part only when it is called: help and faults wait for nothing. */
export function newSluice(): Command {
  const sluice = new Command('sluice')
    .description('Self-hosted infrastructure delivery.')
    .version(version)
    .showHelpAfterError('See sluice --help, or sluice <command> --help.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'sluice: ')) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  sluice
    .command('version')
    .description('Print the version, and the commit that it was built from.')
    .action(async () => console.log(`Sluice ${await describeVersion()}`))
  return sluice
}

/** Does what the words of this process say. */
export async function runSluice(sluice: Command): Promise<void> {
  process.on('uncaughtException', endWith)
  // Whoever reads us, such as `head`, has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EPIPE' ? process.exit(0) : endWith(error),
  )
  await sluice.parseAsync().catch(endWith)
}
