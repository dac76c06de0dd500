import { type Command, InvalidArgumentError, Option } from 'commander'
import { outputs } from './output.ts'

const url = () =>
  new Option('--url <url>', 'where the service is, instead of where you are logged in').env('SLUICE_URL')
const output = () =>
  new Option(
    '-o, --output <format>',
    'print only what it is about: as a table, JSON, YAML, or its id; what happens on the way goes to stderr',
  ).choices(outputs)
const json = () => new Option('--json', 'the same as --output json').implies({ output: 'json' })
const timeout = () => new Option('--timeout <seconds>', 'stop waiting after that, with exit code 3').argParser(seconds)
const untilPaused = () => new Option('--until-paused', 'wait until it is over or waits for somebody')
const noWaitForApproval = () =>
  new Option('--no-wait-for-approval', 'wait until it is over or nothing but a person has it go on: exit code 4, then')
const key = () => new Option('--idempotency-key <key>', 'start it once, however often this is called with the key')
const wait = () => new Option('--wait', 'stay until it is over, and fail if it fails')

/** The commands that call a service that runs. */
export function addCallCommands(sluice: Command): void {
  sluice.commandsGroup('Calling a service (as sluice login or SLUICE_TOKEN says):')

  sluice
    .command('login')
    .description('Keep an API key, which is read from the terminal or from stdin, and use it from now on.')
    .option('--name <name>', 'what to call it, instead of the name of the organization')
    .addOption(url())
    .action(async (wishes) => (await import('./login.ts')).login(wishes))

  sluice
    .command('use')
    .description('Use another login from now on, or show those that are there.')
    .argument('[name]', 'of a login')
    .addOption(output())
    .addOption(json())
    .action(async (name, wishes) => {
      const logins = await import('./login.ts')
      return name === undefined ? logins.listLogins(wishes) : logins.use(name)
    })

  sluice
    .command('logout')
    .description('Forget a login: the one in use, or another.')
    .argument('[name]', 'of a login')
    .action(async (name) => (await import('./login.ts')).logout(name))

  calling(
    sluice,
    'get',
    'Show records: a list of deployments, pipeline-runs, module-instances and so on, or one of them.',
  )
    .argument('<what>', 'what is in the path of its list, such as deployments')
    .argument('[id or name=value...]', 'an id, or filters such as status=IN_PROGRESS')
    .action(async (what, words, wishes) => (await import('./records.ts')).get(what, words, wishes))

  sluice
    .command('export')
    .description('Write a project as files, or all records that match as newline-delimited JSON.')
    .argument('<what>', 'audit-events or, with --to, the givenId of a project')
    .argument('[name=value...]', 'filters such as actorName=ada@example.com or startTime=2026-03-01T00:00:00Z')
    .option('--to <folder>', 'where the files of a project go: a folder that is empty, or is not there')
    .addOption(url())
    .action(async (what, words, { to, ...wishes }) => {
      if (to === undefined) return (await import('./export.ts')).exportRecords(what, words, wishes)
      return (await import('../project-files/write.ts')).exportProject(what, to, wishes)
    })

  aboutFiles(calling(sluice, 'plan', 'Show what apply would change; exit code 5 where there is something.')).action(
    async (folder, wishes) => (await import('../project-files/commands.ts')).plan(folder, wishes),
  )

  aboutFiles(calling(sluice, 'apply', 'Make a project what the files in a folder say.'))
    .option('--yes', 'do not ask')
    .option('--no-run', 'change no infrastructure: only what the service has written down')
    .option('--wait', 'stay until the runs that change infrastructure are over, and fail if one fails')
    .addOption(noWaitForApproval())
    .addOption(timeout())
    .action(async (folder, wishes) => (await import('../project-files/commands.ts')).apply(folder, wishes))

  staying(sluice, 'deploy', 'Release a module instance.')
    .argument('<instance>', 'id or givenId of the module instance')
    .argument('[name=value...]', 'inputs: name=text, name:=JSON, name=@file, name:=@file of JSON or YAML')
    .option('--description <text>', 'what this release is about', 'Released from the command line')
    .addOption(key())
    .action(async (instance, words, wishes) => (await import('./deployments.ts')).deploy(instance, words, wishes))

  const importing = sluice.command('import').description('Bring what runs in a cloud account under Sluice.')

  calling(importing, 'list', 'List the container services, or the functions, of a region of an account.')
    .argument('<account>', 'id of the cloud account: sluice get cloud-accounts')
    .requiredOption('--region <region>', 'such as eu-west-1')
    .addOption(new Option('--type <type>', 'what to list').choices(['cloud:ecs', 'cloud:lambda']).default('cloud:ecs'))
    .action(async (account, wishes) => (await import('./imports.ts')).list(account, wishes))

  calling(
    importing,
    'service',
    'Make a module instance of a service or function that runs; nothing in the cloud is changed.',
  )
    .argument('<arn>', 'the ARN of the service or the function')
    .requiredOption('--environment <id>', 'where the instance is to be: sluice get environments')
    .option('--name <name>', 'what to call it, instead of the name of the service')
    .option('--given-id <slug>', 'its id in the environment, instead of one made of the name')
    .option('--alias <name>', 'of a function with several: the alias by which it is called')
    .option('--dry-run', 'only say what would be made')
    .addOption(key())
    .action(async (arn, wishes) => (await import('./imports.ts')).importService(arn, wishes))

  staying(sluice, 'run', 'Start a run of a pipeline.')
    .argument('<pipeline>', 'id or givenId of the pipeline')
    .argument('[name=value...]', 'inputs, written as those of deploy')
    .option('--description <text>', 'what this run is about')
    .addOption(key())
    .action(async (pipeline, words, wishes) => (await import('./pipelines.ts')).run(pipeline, words, wishes))

  staying(sluice, 'retry', 'Run again what did not succeed of a run that failed or was cancelled.')
    .argument('<run>', 'id of the run')
    .option('--skip <step...>', 'steps to go on without: takes the permission pipeline-runs:skip, and a reason')
    .option('--reason <text>', 'why; the audit log keeps it')
    .addOption(key())
    .action(async (id, wishes) => (await import('./pipelines.ts')).retry(id, wishes))

  calling(sluice, 'watch', 'Follow a deployment, or a run with what its steps write, until it is over.')
    .argument('<id>', 'a deployment or a run of a pipeline')
    .addOption(untilPaused())
    .addOption(noWaitForApproval())
    .addOption(timeout())
    .action(async (id, wishes) => (await import('./watch.ts')).watch(id, wishes))

  staying(sluice, 'continue', 'Continue a deployment that is paused.')
    .argument('<deployment>')
    .option('--hook <id>', 'the pause to end, instead of the present one')
    .action(async (id, wishes) => (await import('./deployments.ts')).continueDeployment(id, wishes))

  calling(sluice, 'cancel', 'Cancel a deployment or a run.')
    .argument('<id>', 'a deployment or a run of a pipeline')
    .action(async (id, wishes) => (await import('./records.ts')).cancel(id, wishes))

  calling(sluice, 'rollback', 'Return from a deployment to the release before it, and stay until that is done.')
    .argument('<deployment>', 'the deployment to return from')
    .option('--to <deployment>', 'the deployment to return to, instead of the last success before')
    .option('--no-wait', 'do not stay')
    .addOption(noWaitForApproval())
    .addOption(timeout())
    .action(async (id, wishes) => (await import('./deployments.ts')).rollback(id, wishes))

  const freezing = sluice.command('freeze').description('Times in which nothing is released.')

  calling(freezing, 'list', 'Show what is frozen now, or will be soon.')
    .addOption(new Option('--within <hours>', 'what begins within so many hours, too').argParser(number).default(0))
    .action(async (wishes) => (await import('./freezes.ts')).listFreezes(wishes))

  calling(freezing, 'add', 'Plan a freeze: once by --until, or again and again by --cron and --minutes.')
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

  calling(freezing, 'lift', 'End a freeze for good; what waits for it starts.')
    .argument('<freeze>', 'its id: sluice freeze list')
    .action(async (id, wishes) => (await import('./freezes.ts')).liftFreeze(id, wishes))

  calling(freezing, 'override', 'Let a module instance, or everything, past a freeze for some time.')
    .argument('<freeze>', 'its id: sluice freeze list')
    .requiredOption('--reason <text>', 'why; the audit log keeps it')
    .option('--instance <instance>', 'what may pass, instead of everything')
    .addOption(new Option('--minutes <number>', 'for how long, instead of an hour').argParser(number))
    .action(async (id, wishes) => (await import('./freezes.ts')).overrideFreeze(id, wishes))

  const judging = sluice.command('policy').description('What must be true of what is released, applied or run.')

  calling(judging, 'list', 'Show the policies.')
    .option('--bundled', 'those that come with Sluice, to start your own from')
    .action(async (wishes) => (await import('./policies.ts')).listPolicies(wishes))

  calling(judging, 'create', 'Make a policy of what a file of YAML or JSON says, or of a bundled one.')
    .argument('[file]', 'with name, guards, expression, message and the like; - is what comes in by a pipe')
    .option('--bundled <id>', 'one that comes with Sluice: sluice policy list --bundled')
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .option('--warn', 'stop nothing, and note what it would have stopped')
    .action(async (file, wishes) => (await import('./policies.ts')).createPolicy(file, wishes))

  calling(judging, 'show', 'Show a policy.')
    .argument('<policy>', 'its id: sluice policy list')
    .action(async (id, wishes) => (await import('./policies.ts')).showPolicy(id, wishes))

  calling(judging, 'delete', 'Delete a policy with its versions.')
    .argument('<policy>', 'its id: sluice policy list')
    .action(async (id, wishes) => (await import('./policies.ts')).deletePolicy(id, wishes))

  calling(judging, 'override', 'Let a module instance, or everything, past a policy for some time.')
    .argument('<policy>', 'its id: sluice policy list')
    .requiredOption('--reason <text>', 'why; the audit log keeps it')
    .option('--instance <instance>', 'what may pass, instead of everything')
    .addOption(new Option('--minutes <number>', 'for how long, instead of an hour').argParser(number))
    .action(async (id, wishes) => (await import('./policies.ts')).overridePolicy(id, wishes))

  calling(judging, 'dry-run', 'Say which of the latest deployments a policy would have stopped.')
    .argument('<policy>', 'its id, or a file')
    .addOption(new Option('--count <number>', 'how many to look at, 500 at most').argParser(number).default(100))
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .action(async (policy, wishes) => (await import('./policies.ts')).dryRunPolicy(policy, wishes))

  const channels = sluice.command('channel').description('Who is told of what happens, and how.')

  calling(channels, 'list', 'Show the channels.').action(async (wishes) =>
    (await import('./channels.ts')).listChannels(wishes),
  )

  calling(channels, 'add', 'Make a channel; shows the secret of a webhook, once.')
    .argument('<name>', 'what to call it')
    .argument(
      '<address>',
      'where it is sent to; of email, addresses and members, with commas; of pagerduty, the integration key; - reads it from the standard input',
    )
    .option('--kind <kind>', 'how it is reached: webhook, slack, teams, email or pagerduty', 'webhook')
    .option('--events <what...>', 'such as deployment.paused deployment.failed; everything, unless named', [])
    .option('--severity <least>', 'only what matters so much: info, warning or critical')
    .option('--project <id>', 'only what happens in a project')
    .option('--environments <id...>', 'only what happens in these environments')
    .action(async (name, address, wishes) => (await import('./channels.ts')).addChannel(name, address, wishes))

  calling(channels, 'test', 'Send something to a channel, and see whether it arrives.')
    .argument('<channel>', 'its id: sluice channel list')
    .action(async (id, wishes) => (await import('./channels.ts')).testChannel(id, wishes))

  calling(channels, 'deliveries', 'Show what a channel was told.')
    .argument('<channel>', 'its id: sluice channel list')
    .action(async (id, wishes) => (await import('./channels.ts')).listDeliveries(id, wishes))

  calling(channels, 'resend', 'Tell a channel the same again.')
    .argument('<delivery>', 'its id: sluice channel deliveries')
    .action(async (id, wishes) => (await import('./channels.ts')).resendDelivery(id, wishes))

  calling(sluice, 'artifacts', 'Show what builds have made of a module instance.')
    .argument('<instance>', 'id or givenId of the module instance')
    .action(async (instance, wishes) => (await import('./artifacts.ts')).listArtifacts(instance, wishes))

  const holding = sluice.command('hold').description('What nothing newer is released to.')

  calling(holding, 'list', 'Show what is held.')
    .option('--released', 'what was let go, too')
    .action(async (wishes) => (await import('./holds.ts')).listHolds(wishes))

  calling(holding, 'add', 'Hold a module instance or an environment: nothing newer is released there.')
    .option('--instance <instance>', 'what is held')
    .option('--environment <id>', 'or all that is in an environment')
    .requiredOption('--reason <text>', 'why, for those whom it stops')
    .action(async (wishes) => (await import('./holds.ts')).addHold(wishes))

  calling(holding, 'release', 'Let go what is held; what waits for it starts.')
    .argument('<hold>', 'its id: sluice hold list')
    .requiredOption('--reason <text>', 'why; the audit log keeps it')
    .action(async (id, wishes) => (await import('./holds.ts')).releaseHold(id, wishes))

  staying(sluice, 'redeploy', 'Release exactly what an earlier deployment released.')
    .argument('<deployment>')
    .action(async (id, wishes) => (await import('./deployments.ts')).redeploy(id, wishes))

  staying(sluice, 'promote', 'Release in a later environment what a deployment released.')
    .argument('<deployment>')
    .option('--to <environment>', 'id or givenId of the environment; the next one where it is not said')
    .option('--dry-run', 'only say what would go where, and what stands between')
    .option('--override <reason>', 'although a promotion rule does not let it go on yet')
    .action(async (id, wishes) => (await import('./promote.ts')).promote(id, wishes))

  const promoting = sluice.command('promotion-rule').description('When releases go on to a later environment.')

  calling(promoting, 'list', 'Show the promotion rules.').action(async (wishes) =>
    (await import('./promotion-rules.ts')).listPromotionRules(wishes),
  )

  calling(promoting, 'add', 'Say when releases go on from one environment to a later one.')
    .argument('<from>', 'id or givenId of the environment that they come from')
    .argument('<to>', 'and of the one that they go to')
    .addOption(
      new Option('--soak <minutes>', 'so long they must have been live and healthy').argParser(number).default(0),
    )
    .option('--automatic', 'they go by themselves')
    .option('--warn', 'stop and release nothing, and note what it would have done')
    .option('--reason <text>', 'why, for those whom it stops')
    .action(async (from, to, wishes) => (await import('./promotion-rules.ts')).addPromotionRule(from, to, wishes))

  calling(promoting, 'delete', 'Delete a promotion rule.')
    .argument('<rule>', 'its id: sluice promotion-rule list')
    .action(async (id, wishes) => (await import('./promotion-rules.ts')).deletePromotionRule(id, wishes))

  calling(sluice, 'approve', 'Approve a step of a run, or a release, that waits for approval.')
    .argument('<id>', 'of the step: sluice get pipeline-step-executions status=PENDING_APPROVAL; or of the deployment')
    .option('--comment <text>', 'why')
    .action(async (id, wishes) => (await import('./approvals.ts')).approve(id, wishes))

  calling(sluice, 'reject', 'Turn down a step of a run, or a release, that waits for approval.')
    .argument('<id>', 'of the step or the deployment')
    .option('--comment <text>', 'why')
    .action(async (id, wishes) => (await import('./approvals.ts')).reject(id, wishes))

  calling(sluice, 'withdraw', 'Take back your own approval of a release that still waits.')
    .argument('<deployment>', 'id of the deployment')
    .action(async (id, wishes) => (await import('./approvals.ts')).withdraw(id, wishes))

  const approving = sluice
    .command('approval-rule')
    .description('Who must approve before something is released, or a step goes on.')

  calling(approving, 'list', 'Show the approval rules.').action(async (wishes) =>
    (await import('./approval-rules.ts')).listApprovalRules(wishes),
  )

  calling(approving, 'add', 'Have releases, or steps, wait until so many have approved.')
    .argument('<name>', 'what to call it')
    .addOption(new Option('--required <number>', 'how many must approve').argParser(number).default(1))
    .option('--team <id...>', 'only who is in one of these teams counts')
    .option('--not-starter', 'who started it counts for nothing')
    .option('--service-accounts', 'service accounts count, too')
    .addOption(
      new Option('--expires <minutes>', 'cancel what is not approved so long after it was asked').argParser(number),
    )
    .option('--rollbacks', 'guard rollbacks, too')
    .addOption(
      new Option('--guards <what...>', 'releases, steps that ask for approval, or both')
        .choices(['deployments', 'steps'])
        .default(['deployments']),
    )
    .option('--project <id>', 'only in a project')
    .option('--environment <id>', 'only in an environment')
    .option('--instance <instance>', 'only of a module instance')
    .option('--reason <text>', 'why, for those whom it stops')
    .option('--warn', 'stop nothing, and note what it would have asked for')
    .action(async (name, wishes) => (await import('./approval-rules.ts')).addApprovalRule(name, wishes))

  calling(approving, 'delete', 'Delete an approval rule; what waits for it starts.')
    .argument('<rule>', 'its id: sluice approval-rule list')
    .action(async (id, wishes) => (await import('./approval-rules.ts')).deleteApprovalRule(id, wishes))

  calling(
    sluice,
    'describe',
    'Say what an id or an ARN of the cloud stands for: where it stands, why, and what belongs to it.',
  )
    .argument('<id>', 'the id of any record, an ARN, or the givenId of a module instance')
    .action(async (id, wishes) => (await import('./describe.ts')).describe(id, wishes))

  sluice
    .command('open')
    .description(
      'Show what an id or an ARN stands for in the console: in the browser or, without a terminal, its address.',
    )
    .argument('<id>', 'the id of any record, an ARN, or the givenId of a module instance')
    .addOption(url())
    .action(async (id, wishes) => (await import('./open.ts')).open(id, wishes))

  calling(sluice, 'diff', 'Show what a deployment releases otherwise than another, or than what ran before it.')
    .argument('<deployment>')
    .argument('[other]', 'the deployment to compare with, instead of what ran before')
    .action(async (id, other, wishes) => (await import('./diff.ts')).diff(id, other, wishes))

  calling(sluice, 'resources', 'Show what a deployment touched in the cloud: now, or as it was when it ended.')
    .argument('<deployment>', 'id of the deployment')
    .action(async (id, wishes) => (await import('./resources.ts')).resources(id, wishes))

  calling(sluice, 'source', 'Show what a deployment was made of: commit, author, image, as far as it is known.')
    .argument('<deployment>', 'id of the deployment')
    .action(async (id, wishes) => (await import('./source.ts')).source(id, wishes))

  sluice
    .command('logs')
    .description('Print what a module instance wrote, oldest first.')
    .argument('<instance>', 'id or givenId of the module instance')
    .option('-f, --follow', 'go on with what it writes, until Ctrl-C')
    .addOption(new Option('--since <seconds>', 'how far back').argParser(seconds).default(600))
    .option('--source <id>', 'which of the logs in its ui, instead of the first')
    .option('--filter <pattern>', "only lines that match, in the cloud's own pattern language")
    .addOption(url())
    .action(async (instance, wishes) => (await import('./logs.ts')).logs(instance, wishes))

  calling(sluice, 'permissions', 'Say what the key may do: in the organization, in a project or in an environment.')
    .argument('[project]', 'id of a project')
    .argument('[environment]', 'id of an environment of it')
    .action(async (project, environment, wishes) =>
      (await import('./records.ts')).permissions({ projectId: project, environmentId: environment }, wishes),
    )

  sluice
    .command('mcp')
    .description('Serve an agent over stdin and stdout, by the Model Context Protocol.')
    .option('--allow-actions', 'offer what changes something, too: releasing, continuing, cancelling, rolling back')
    .addOption(url())
    .action(async (wishes) => (await import('../mcp/mcp.ts')).runMcp(wishes))

  calling(sluice, 'api', 'Call any operation of the interface, by its name at /docs.')
    .argument('<operation>', 'such as whoami, createProject, deletePipeline')
    .argument('[name=value...]', 'what goes into its path, its query and its body, written as the inputs of deploy')
    .action(async (operation, words, wishes) => (await import('./records.ts')).api(operation, words, wishes))
}

const calling = (sluice: Command, name: string, description: string): Command =>
  sluice.command(name).description(description).addOption(url()).addOption(output()).addOption(json())

/** Of what starts something, or has it go on: it may be followed from there. */
const staying = (sluice: Command, name: string, description: string): Command =>
  calling(sluice, name, description)
    .addOption(wait())
    .addOption(untilPaused())
    .addOption(noWaitForApproval())
    .addOption(timeout())

const aboutFiles = (command: Command): Command =>
  command
    .argument('<folder>', 'or a file')
    .option('--project <givenId>', 'the project that the files are for, instead of the one that they name')
    .option('--prune', 'remove what is in the project and in no file')
    .option('--set-secrets', 'set secret values again that are there: they cannot be compared')

function number(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number >= 0)) throw new InvalidArgumentError('Expected a number.')
  return number
}

function seconds(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number > 0)) throw new InvalidArgumentError('Expected a number of seconds above 0.')
  return number
}
