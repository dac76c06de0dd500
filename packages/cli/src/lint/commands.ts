import { Argument, type Command, Option } from 'commander'

/** Adds the commands for files, which need no service. */
export function addFileCommands(sluice: Command): void {
  sluice
    .command('lint')
    .description('Check modules, pipelines and the documents of projects as the service does, without one.')
    .argument('<file or folder...>', 'YAML or JSON; - is standard input')
    .addOption(
      new Option('--format <name>', 'format of the errors')
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .option('--verbose', 'name the files in folders that are none of these')
    .action(async (names, wishes) => (await import('./lint.ts')).lint(names, wishes))

  sluice
    .command('schema')
    .description('Print the JSON Schema of modules, pipelines or the documents of a project, for editors.')
    .addArgument(new Argument('<kind>').choices(['module', 'pipeline', 'project']))
    .action(async (kind) => (await import('../schema.ts')).printSchema(kind))

  sluice
    .command('audit')
    .description('Work with an exported audit log.')
    .command('verify')
    .description(
      'Check that no event of an exported audit log was changed, removed or put in between, without a service.',
    )
    .argument('<file>', 'what sluice export audit-events wrote; - is standard input')
    .option('--heads <file...>', 'signed heads that were kept elsewhere')
    .option('--public-key <key...>', 'what heads must be signed with: the publicKey of one that you trust')
    .action(async (file, wishes) => (await import('../audit/verify.ts')).verifyAuditLog(file, wishes))
}
