import { Command } from 'commander'
import { exitWithError } from './end-with.ts'
import { describeVersion, version } from './version.ts'

/** Creates a command line without commands. Commands load their code on demand, so that help and errors are fast. */
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

/** Runs the command line with the arguments of this process. */
export async function runSluice(sluice: Command): Promise<void> {
  process.on('uncaughtException', exitWithError)
  // A reader such as `head` has closed the pipe.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EPIPE' ? process.exit(0) : exitWithError(error),
  )
  await sluice.parseAsync().catch(exitWithError)
}
