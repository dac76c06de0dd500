import { type Command, Option } from 'commander'
import { addServiceCommand, number } from '../options.ts'

/** Adds the commands for freezes, holds, policies, rules and approvals. */
export function addRuleCommands(sluice: Command): void {
  const freezing = sluice.command('freeze').description('Times in which nothing is released.')

  addServiceCommand(freezing, 'list', 'Show what is frozen now, or will be soon.')
    .addOption(new Option('--within <hours>', 'what begins within so many hours, too').argParser(number).default(0))
    .action(async (wishes) => (await import('./freezes.ts')).listFreezes(wishes))

  addServiceCommand(freezing, 'add', 'Plan a freeze: once by --until, or again and again by --cron and --minutes.')
    .argument('<name>', 'what to call it')
    .option('--from <time>', 'when it begins, such as 2026-12-23T17:00:00Z, instead of now')
    .option('--until <time>', 'when it ends')
    .option('--cron <expression>', 'when it begins each time, such as "0 16 * * 5"')
    .option('--time-zone <name>', 'of the expression, such as Europe/Berlin; UTC where none is named')
    .addOption(new Option('--minutes <number>', 'how long it lasts each time').argParser(number))
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .option('--reason <text>', 'why, for those whom it stops')
    .addOption(
      new Option('--stops <what...>', 'releases, continues, rollbacks, applies').default(['releases', 'continues']),
    )
    .option('--refuse', 'refuse releases meanwhile, instead of letting them wait')
    .option('--newest', 'start only the newest of each instance afterwards')
    .option('--warn', 'stop nothing, and note what it would have stopped')
    .action(async (name, wishes) => (await import('./freezes.ts')).addFreeze(name, wishes))

  addServiceCommand(freezing, 'lift', 'End a freeze for good; what waits for it starts.')
    .argument('<freeze>', 'its id: sluice freeze list')
    .action(async (id, wishes) => (await import('./freezes.ts')).liftFreeze(id, wishes))

  addServiceCommand(freezing, 'override', 'Let a module instance, or everything, past a freeze for some time.')
    .argument('<freeze>', 'its id: sluice freeze list')
    .requiredOption('--reason <text>', 'why; the audit log keeps it')
    .option('--instance <instance>', 'what may pass, instead of everything')
    .addOption(new Option('--minutes <number>', 'for how long, instead of an hour').argParser(number))
    .action(async (id, wishes) => (await import('./freezes.ts')).overrideFreeze(id, wishes))

  const judging = sluice.command('policy').description('What must be true of what is released, applied or run.')

  addServiceCommand(judging, 'list', 'Show the policies.')
    .option('--bundled', 'those that come with Sluice, to start your own from')
    .action(async (wishes) => (await import('./policies.ts')).listPolicies(wishes))

  addServiceCommand(judging, 'create', 'Make a policy of what a file of YAML or JSON says, or of a bundled one.')
    .argument('[file]', 'with name, guards, expression, message and other fields; - reads stdin')
    .option('--bundled <id>', 'a bundled policy: sluice policy list --bundled')
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .option('--warn', 'stop nothing, and note what it would have stopped')
    .action(async (file, wishes) => (await import('./policies.ts')).createPolicy(file, wishes))

  addServiceCommand(judging, 'show', 'Show a policy.')
    .argument('<policy>', 'its id: sluice policy list')
    .action(async (id, wishes) => (await import('./policies.ts')).showPolicy(id, wishes))

  addServiceCommand(judging, 'delete', 'Delete a policy with its versions.')
    .argument('<policy>', 'its id: sluice policy list')
    .action(async (id, wishes) => (await import('./policies.ts')).deletePolicy(id, wishes))

  addServiceCommand(
    judging,
    'override',
    'Let a module instance, a pipeline, or everything, past a policy for some time.',
  )
    .argument('<policy>', 'its id: sluice policy list')
    .requiredOption('--reason <text>', 'why; the audit log keeps it')
    .option('--instance <instance>', 'of a policy on releases or plans: what may pass, instead of everything')
    .option('--pipeline <pipeline>', 'of a policy on versions of pipelines: the one that may pass')
    .addOption(new Option('--minutes <number>', 'for how long, instead of an hour').argParser(number))
    .action(async (id, wishes) => (await import('./policies.ts')).overridePolicy(id, wishes))

  addServiceCommand(
    judging,
    'dry-run',
    'Show which of the latest deployments, plans or pipeline versions a policy would have stopped.',
  )
    .argument('<policy>', 'its id, or a file')
    .addOption(new Option('--count <number>', 'how many to look at, 500 at most').argParser(number).default(100))
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .action(async (policy, wishes) => (await import('./policies.ts')).dryRunPolicy(policy, wishes))

  const holding = sluice.command('hold').description('What nothing newer is released to.')

  addServiceCommand(holding, 'list', 'Show what is held.')
    .option('--released', 'what was let go, too')
    .action(async (wishes) => (await import('./holds.ts')).listHolds(wishes))

  addServiceCommand(holding, 'add', 'Hold a module instance or an environment: nothing newer is released there.')
    .option('--instance <instance>', 'what is held')
    .option('--environment <id>', 'or all that is in an environment')
    .requiredOption('--reason <text>', 'why, for those whom it stops')
    .action(async (wishes) => (await import('./holds.ts')).addHold(wishes))

  addServiceCommand(holding, 'release', 'Let go what is held; what waits for it starts.')
    .argument('<hold>', 'its id: sluice hold list')
    .requiredOption('--reason <text>', 'why; the audit log keeps it')
    .action(async (id, wishes) => (await import('./holds.ts')).liftHold(id, wishes))

  addServiceCommand(holding, 'rule', 'Show, or change, when instances of an environment are held by themselves.')
    .argument('<environment>', 'its id')
    .addOption(
      new Option('--after-rollback <what>', 'what is done when a release was rolled back').choices([
        'hold',
        'warn',
        'no',
      ]),
    )
    .action(async (id, wishes) => (await import('./holds.ts')).holdRule(id, wishes))

  const drifting = sluice
    .command('drift')
    .description('What others changed of infrastructure, and when that is looked for.')

  addServiceCommand(drifting, 'show', 'Show the drift of a module instance, and its scheduled checks.')
    .argument('<instance>', 'or the id of a stack')
    .action(async (instance, wishes) => (await import('../drift.ts')).showDrift(instance, wishes))

  addServiceCommand(drifting, 'schedule', 'Look for drift on a schedule.')
    .argument('<instance>', 'or the id of a stack')
    .requiredOption('--cron <times>', 'minute, hour, day of month, month and day of week')
    .option('--time-zone <zone>', 'the IANA name of the zone that they are in, instead of UTC')
    .option('--reconcile', 'begin a run, with its usual approval, that undoes what is found')
    .action(async (instance, wishes) => (await import('../drift.ts')).scheduleDrift(instance, wishes))

  addServiceCommand(drifting, 'unschedule', 'Look for it no more.')
    .argument('<instance>', 'or the id of a stack')
    .action(async (instance, wishes) => (await import('../drift.ts')).unscheduleDrift(instance, wishes))

  addServiceCommand(drifting, 'look', 'Look for it now.')
    .argument('<instance>', 'or the id of a stack')
    .action(async (instance, wishes) => (await import('../drift.ts')).checkDrift(instance, wishes))

  const promoting = sluice.command('promotion-rule').description('When releases go on to a later environment.')

  addServiceCommand(promoting, 'list', 'Show the promotion rules.').action(async (wishes) =>
    (await import('./promotion-rules.ts')).listPromotionRules(wishes),
  )

  addServiceCommand(promoting, 'add', 'Define when releases are promoted from one environment to another.')
    .argument('<from>', 'id or givenId of the environment that they come from')
    .argument('<to>', 'and of the one that they go to')
    .addOption(
      new Option('--soak <minutes>', 'so long they must have been live and healthy').argParser(number).default(0),
    )
    .option('--automatic', 'they go by themselves')
    .option('--warn', 'stop and release nothing, and note what it would have done')
    .option('--reason <text>', 'why, for those whom it stops')
    .action(async (from, to, wishes) => (await import('./promotion-rules.ts')).addPromotionRule(from, to, wishes))

  addServiceCommand(promoting, 'delete', 'Delete a promotion rule.')
    .argument('<rule>', 'its id: sluice promotion-rule list')
    .action(async (id, wishes) => (await import('./promotion-rules.ts')).deletePromotionRule(id, wishes))

  const previews = sluice.command('preview').description('Environments of pull requests.')

  addServiceCommand(previews, 'list', 'Show the preview environments, with what they take.')
    .option('--project <id>', 'of one project')
    .option('--gone', 'those too of which nothing is left')
    .action(async (wishes) => (await import('../previews.ts')).listPreviews(wishes))

  addServiceCommand(previews, 'extend', 'Keep a preview environment for longer.')
    .argument('<preview>', 'its id: sluice preview list')
    .addOption(new Option('--hours <hours>', 'so long from now on').argParser(number).makeOptionMandatory())
    .action(async (id, wishes) => (await import('../previews.ts')).extendPreview(id, wishes))

  addServiceCommand(previews, 'end', 'Have a preview environment torn down now.')
    .argument('<preview>', 'its id')
    .action(async (id, wishes) => (await import('../previews.ts')).endPreview(id, wishes))

  addServiceCommand(previews, 'retry', 'Try again what failed: making a preview environment, or tearing it down.')
    .argument('<preview>', 'its id')
    .action(async (id, wishes) => (await import('../previews.ts')).retryPreview(id, wishes))

  addServiceCommand(
    sluice,
    'approve',
    'Approve a step of a run, a release, or a version of a pipeline, that waits for approval.',
  )
    .argument(
      '<id>',
      'of the step: sluice get pipeline-step-executions status=PENDING_APPROVAL; of the deployment or of the version',
    )
    .option('--comment <text>', 'why')
    .action(async (id, wishes) => (await import('./approvals.ts')).approve(id, wishes))

  addServiceCommand(sluice, 'reject', 'Turn down a step of a run, or a release, that waits for approval.')
    .argument('<id>', 'of the step or the deployment')
    .option('--comment <text>', 'why')
    .action(async (id, wishes) => (await import('./approvals.ts')).reject(id, wishes))

  addServiceCommand(
    sluice,
    'withdraw',
    'Take back your own approval of a step or a release that still waits, or of a version of a pipeline.',
  )
    .argument('<id>', 'of the step, the deployment or the version')
    .action(async (id, wishes) => (await import('./approvals.ts')).withdraw(id, wishes))

  const delegating = sluice.command('delegation').description('Who decides in whose place, and when.')

  addServiceCommand(delegating, 'add', 'Name a user who decides in your place for a time.')
    .argument('<membership>', 'its id: sluice get memberships')
    .requiredOption('--until <time>', 'when it is over, as in 2027-01-04T08:00:00Z')
    .option('--from <time>', 'when it begins; else at once')
    .option('--reason <text>', 'why')
    .action(async (id, wishes) => (await import('./delegations.ts')).addDelegation(id, wishes))

  addServiceCommand(delegating, 'list', 'Show who decides in whose place, also what is over.').action(async (wishes) =>
    (await import('./delegations.ts')).listDelegations(wishes),
  )

  addServiceCommand(delegating, 'delete', 'Decide yourself again.')
    .argument('<delegation>', 'its id: sluice delegation list')
    .action(async (id, wishes) => (await import('./delegations.ts')).deleteDelegation(id, wishes))

  const approving = sluice
    .command('approval-rule')
    .description('Who must approve before something is released, or a step continues.')

  addServiceCommand(approving, 'list', 'Show the approval rules.').action(async (wishes) =>
    (await import('./approval-rules.ts')).listApprovalRules(wishes),
  )

  addServiceCommand(approving, 'add', 'Have releases, or steps, wait until so many have approved.')
    .argument('<name>', 'what to call it')
    .addOption(new Option('--required <number>', 'how many must approve').argParser(number).default(1))
    .option('--team <id...>', 'only who is in one of these teams counts')
    .option('--not-starter', 'who started it counts for nothing')
    .option('--not-author', 'who wrote the commit counts for nothing')
    .option('--service-accounts', 'service accounts count, too')
    .addOption(new Option('--expires <minutes>', 'cancel what is not approved within this time').argParser(number))
    .option('--rollbacks', 'guard rollbacks, too')
    .addOption(
      new Option('--guards <what...>', 'releases, steps that ask for approval, and all that apply or destroy')
        .choices(['deployments', 'steps', 'applies', 'destroys'])
        .default(['deployments']),
    )
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .option('--reason <text>', 'why, for those whom it stops')
    .option('--warn', 'stop nothing, and note what it would have asked for')
    .action(async (name, wishes) => (await import('./approval-rules.ts')).addApprovalRule(name, wishes))

  addServiceCommand(approving, 'delete', 'Delete an approval rule; what waits for it starts.')
    .argument('<rule>', 'its id: sluice approval-rule list')
    .action(async (id, wishes) => (await import('./approval-rules.ts')).deleteApprovalRule(id, wishes))
}
