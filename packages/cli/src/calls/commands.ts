import { Argument, type Command, Option } from 'commander'
import { addRuleCommands } from './gates/rule-commands.ts'
import { addNotificationCommands } from './notifications/notification-commands.ts'
import {
  addFollowCommand,
  addServiceCommand,
  idempotencyKeyOption,
  json,
  noWaitForApproval,
  number,
  output,
  seconds,
  timeout,
  untilPaused,
  url,
  wait,
} from './options.ts'

/** Adds the commands that call a running service. */
export function addCallCommands(sluice: Command): void {
  sluice.commandsGroup('Calling a service (as sluice login or SLUICE_TOKEN says):')

  sluice
    .command('login')
    .description('Keep an API key, which is read from the terminal or from stdin, and use it from now on.')
    .option('--device', 'get a key by a code that you enter in the console, on any machine')
    .option('--browser', 'the same, and have the browser of this machine show where')
    .option('--name <name>', 'what to call it, instead of the name of the organization')
    .addOption(url())
    .action(async (wishes) => (await import('./sign-in/login.ts')).login(wishes))

  sluice
    .command('use')
    .description('Use another login from now on, or show those that are there.')
    .argument('[name]', 'of a login')
    .addOption(output())
    .addOption(json())
    .action(async (name, wishes) => {
      const logins = await import('./sign-in/login.ts')
      return name === undefined ? logins.listLogins(wishes) : logins.selectLogin(name)
    })

  sluice
    .command('logout')
    .description('Forget a login: the one in use, or another.')
    .argument('[name]', 'of a login')
    .action(async (name) => (await import('./sign-in/login.ts')).logout(name))

  addServiceCommand(
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

  const whatPlanDoes = 'Show what apply would change; exit code 5 where there is something.'
  aboutFiles(addServiceCommand(sluice, 'plan', whatPlanDoes, ['markdown'])).action(async (folder, wishes) =>
    (await import('../project-files/commands.ts')).plan(folder, wishes),
  )

  aboutFiles(addServiceCommand(sluice, 'apply', 'Make a project what the files in a folder say.'))
    .option('--yes', 'do not ask')
    .option('--no-run', 'change no infrastructure: only what the service has written down')
    .option('--wait', 'stay until the runs that change infrastructure are over, and fail if one fails')
    .addOption(noWaitForApproval())
    .addOption(timeout())
    .action(async (folder, wishes) => (await import('../project-files/commands.ts')).apply(folder, wishes))

  const watched = sluice.command('watched').description('The repository whose files a project is kept to.')
  addServiceCommand(watched, 'show', 'Compare a project with its files, and show differences and errors.')
    .argument('<project>', 'id or givenId of the project')
    .action(async (project, wishes) => (await import('../project-files/watched.ts')).showWatched(project, wishes))
  addServiceCommand(watched, 'apply', 'Show what was found last, ask, and have exactly that done.')
    .argument('<project>', 'id or givenId of the project')
    .option('--yes', 'do not ask')
    .action(async (project, wishes) => (await import('../project-files/watched.ts')).applyWatched(project, wishes))
  addServiceCommand(watched, 'look', 'Have the files read and planned now.')
    .argument('<project>', 'id or givenId of the project')
    .action(async (project, wishes) => (await import('../project-files/watched.ts')).checkWatched(project, wishes))

  addFollowCommand(sluice, 'deploy', 'Release a module instance.')
    .argument('<instance>', 'id or givenId of the module instance')
    .argument('[name=value...]', 'inputs: name=text, name:=JSON, name=@file, name:=@file of JSON or YAML')
    .option('--description <text>', 'what this release is about', 'Released from the command line')
    .option('--dry-run', 'only check whether the release would succeed; exit code 1 if it would fail')
    .addOption(idempotencyKeyOption())
    .action(async (instance, words, wishes) =>
      (await import('./delivery/deployments.ts')).deploy(instance, words, wishes),
    )

  addServiceCommand(
    sluice,
    'rehearse',
    'Release a module instance in a simulated copy of its service, and show how it ends.',
  )
    .argument('<instance>', 'id or givenId of the module instance')
    .argument('[name=value...]', 'inputs, as of sluice deploy')
    .option('--rollback-to <deployment>', 'rehearse a rollback to this deployment, without inputs')
    .option(
      '--scenario <name...>',
      'what goes wrong, such as TASKS_CRASH: these scenarios instead of all. `+` joins faults of one',
    )
    .addOption(wait())
    .option('--timeline <name>', 'stay until it is over, and show this scenario step by step')
    .action(async (instance, words, wishes) =>
      (await import('./delivery/rehearse.ts')).rehearse(instance, words, wishes),
    )

  const importing = sluice
    .command('import')
    .description('Bring what runs in a cloud account, or what files define, under Sluice.')

  importing
    .command('file', { isDefault: true })
    .description(
      'Write what files of Amazon ECS, ecspresso or Compose define as module instances of a project; no service is asked.',
    )
    .argument('<files...>', 'what aws ecs describe-… prints, an ecspresso.yml or a Compose file; - is standard input')
    .requiredOption('--environment <name>', 'the environment that they are placed in, by its givenId')
    .requiredOption('--account <name>', 'the cloud account that they run in, by its givenId')
    .option('--cluster <arn>', 'the cluster that they are in, where no file says it')
    .option('--service <name>', 'what the service is called in its cluster, where no file says it')
    .option('--image <repository>', 'the repository of the image, where the file has a variable for all of it')
    .option('--as <name>', 'the givenId of the instance; by default derived from the name of the service')
    .option('--only <name>', 'of several services, only this one')
    .option('--with-module', 'write the module as well, which an organization has after its first import')
    .option('--to <file>', 'where the documents go, instead of the standard output: a file that is not there')
    .action(async (files, wishes) => (await import('../definitions/import-files.ts')).importFiles(files, wishes))

  addServiceCommand(importing, 'list', 'List the container services, or the functions, of a region of an account.')
    .argument('<account>', 'id of the cloud account: sluice get cloud-accounts')
    .requiredOption('--region <region>', 'such as eu-west-1')
    .addOption(new Option('--type <type>', 'what to list').choices(['cloud:ecs', 'cloud:lambda']).default('cloud:ecs'))
    .action(async (account, wishes) => (await import('./imports.ts')).list(account, wishes))

  addServiceCommand(
    importing,
    'service',
    'Make a module instance of a service or function that runs; nothing in the cloud is changed.',
  )
    .argument('<arn>', 'the ARN of the service or the function')
    .requiredOption('--environment <id>', 'where the instance is to be: sluice get environments')
    .option('--name <name>', 'what to call it, instead of the name of the service')
    .option('--given-id <slug>', 'its givenId in the environment; by default derived from the name')
    .option('--alias <name>', 'of a function with several: the alias by which it is called')
    .option('--dry-run', 'show the result without creating anything')
    .addOption(idempotencyKeyOption())
    .action(async (arn, wishes) => (await import('./imports.ts')).importService(arn, wishes))

  addFollowCommand(sluice, 'run', 'Start a run of a pipeline.')
    .argument('<pipeline>', 'id or givenId of the pipeline')
    .argument('[name=value...]', 'inputs, written as those of deploy')
    .option('--description <text>', 'what this run is about')
    .addOption(idempotencyKeyOption())
    .action(async (pipeline, words, wishes) => (await import('./pipelines.ts')).run(pipeline, words, wishes))

  addFollowCommand(sluice, 'retry', 'Run again what did not succeed of a run that failed or was cancelled.')
    .argument('<run>', 'id of the run')
    .option('--skip <step...>', 'steps to go on without: takes the permission pipeline-runs:skip, and a reason')
    .option('--reason <text>', 'why; the audit log keeps it')
    .addOption(idempotencyKeyOption())
    .action(async (id, wishes) => (await import('./pipelines.ts')).retry(id, wishes))

  addServiceCommand(sluice, 'watch', 'Follow a deployment, or a run with what its steps write, until it is over.')
    .argument('<id>', 'a deployment or a run of a pipeline')
    .addOption(untilPaused())
    .addOption(noWaitForApproval())
    .addOption(timeout())
    .action(async (id, wishes) => (await import('./delivery/watch.ts')).watch(id, wishes))

  addFollowCommand(sluice, 'continue', 'Continue a deployment that is paused.')
    .argument('<deployment>')
    .option('--hook <id>', 'the pause to end, instead of the present one')
    .action(async (id, wishes) => (await import('./delivery/deployments.ts')).continueDeployment(id, wishes))

  addServiceCommand(sluice, 'cancel', 'Cancel a deployment or a run.')
    .argument('<id>', 'a deployment or a run of a pipeline')
    .action(async (id, wishes) => (await import('./records.ts')).cancel(id, wishes))

  addServiceCommand(
    sluice,
    'rollback',
    'Return from a deployment to the release before it, and stay until that is done.',
  )
    .argument('<deployment>', 'the deployment to return from')
    .option('--to <deployment>', 'the deployment to return to, instead of the last success before')
    .option('--no-wait', 'do not stay')
    .addOption(noWaitForApproval())
    .addOption(timeout())
    .action(async (id, wishes) => (await import('./delivery/deployments.ts')).rollback(id, wishes))

  addRuleCommands(sluice)

  const pricing = sluice
    .command('price-list')
    .description('Prices of resources, from which the cost of plans is estimated.')

  addServiceCommand(pricing, 'show', 'Show what resources cost.').action(async (wishes) =>
    (await import('./price-list.ts')).showPriceList(wishes),
  )

  addServiceCommand(pricing, 'set', 'Put what a file of YAML or JSON says in the place of the price list.')
    .argument('<file>', 'with currency and prices; - is what comes in by a pipe')
    .action(async (file, wishes) => (await import('./price-list.ts')).setPriceList(file, wishes))

  addNotificationCommands(sluice)

  addServiceCommand(sluice, 'artifacts', 'List the artifacts of a module instance.')
    .argument('<instance>', 'id or givenId of the module instance')
    .action(async (instance, wishes) => (await import('./artifacts.ts')).listArtifacts(instance, wishes))

  addFollowCommand(sluice, 'build', 'Start the pipeline that builds a module instance.')
    .argument('<instance>', 'id or givenId of the module instance')
    .argument('[name=value...]', 'inputs of the pipeline, written as those of deploy')
    .option('--ref <ref>', 'a branch, a tag or a commit: the input ref of the pipeline')
    .option('--pipeline <pipeline>', 'id or givenId of the pipeline, where several build the instance')
    .option('--description <text>', 'what this run is about')
    .action(async (instance, words, wishes) => (await import('./pipelines.ts')).build(instance, words, wishes))

  addFollowCommand(sluice, 'release', 'Release what was built of a commit.')
    .argument('<commit>', 'at least the first 7 digits of its id')
    .option('--instance <instance>', 'id or givenId of the module instance; the one that it was built for, otherwise')
    .option('--description <text>', 'what this release is about')
    .action(async (commit, wishes) => (await import('./artifacts.ts')).release(commit, wishes))

  const artifact = sluice.command('artifact').description('What a build has made.')

  addServiceCommand(
    artifact,
    'provenance',
    'Show who built an artifact, from what, and how: a statement of in-toto, as JSON.',
  )
    .argument('<id>', 'of the artifact')
    .action(async (id, wishes) => (await import('./artifacts.ts')).showProvenance(id, wishes))

  addServiceCommand(artifact, 'retention', 'List unused artifacts. Deletes nothing.')
    .argument('[instance]', 'id or givenId of the module instance; all of them where it is not said')
    .option('--keep-days <days>', 'how old an artifact is at least that may go', number)
    .option('--keep-latest <count>', 'how many of the last releases and builds of each instance stay', number)
    .option('--all', 'also show what stays, and why')
    .action(async (instance, wishes) => (await import('./artifacts.ts')).dryRunRetention(instance, wishes))

  addServiceCommand(artifact, 'removal', 'Enable or disable the removal of unused artifacts. Starts after an hour.')
    .addArgument(new Argument('[state]', 'without it, the current state is shown').choices(['on', 'off']))
    .option('--keep-days <days>', 'how old an artifact is at least that goes', number)
    .option('--keep-latest <count>', 'how many of the last releases and builds of each instance stay', number)
    .action(async (state, wishes) => (await import('./artifacts.ts')).changeRemoval(state, wishes))

  addFollowCommand(sluice, 'redeploy', 'Release exactly what an earlier deployment released.')
    .argument('<deployment>')
    .action(async (id, wishes) => (await import('./delivery/deployments.ts')).redeploy(id, wishes))

  addFollowCommand(sluice, 'promote', 'Release in a later environment what a deployment released.')
    .argument('[deployment]')
    .option('--list <project>', 'only show what runs where in a project (id or givenId), and what could go on to where')
    .option('--to <environment>', 'id or givenId of the environment; the next one where it is not said')
    .option('--dry-run', 'only show what would be promoted where, and blockers')
    .option('--override <reason>', 'although a promotion rule does not let it go on yet')
    .action(async (id, wishes) => (await import('./delivery/promote.ts')).promote(id, wishes))

  addServiceCommand(
    sluice,
    'describe',
    'Explain an id or an ARN of the cloud: its record, its status with the reason, and what belongs to it.',
  )
    .argument('<id>', 'the id of any record, an ARN, or the givenId of a module instance')
    .action(async (id, wishes) => (await import('./describe.ts')).describe(id, wishes))

  sluice
    .command('open')
    .description(
      'Show the record of an id or an ARN in the console: in the browser or, without a terminal, its address.',
    )
    .argument('<id>', 'the id of any record, an ARN, or the givenId of a module instance')
    .addOption(url())
    .action(async (id, wishes) => (await import('./open.ts')).open(id, wishes))

  addServiceCommand(
    sluice,
    'diff',
    'Show what a deployment releases otherwise than another, or than what ran before it.',
  )
    .argument('<deployment>', 'id of the deployment; with --from and --to, the instance by its givenId')
    .argument('[other]', 'the deployment to compare with, instead of what ran before')
    .option('--running', 'compare it with what runs now')
    .option('--from <environment>', 'compare what runs of an instance: with that in this environment')
    .option('--to <environment>', 'what runs in this one')
    .action(async (id, other, wishes) => (await import('./delivery/diff.ts')).diff(id, other, wishes))

  addServiceCommand(
    sluice,
    'resources',
    'Show what a deployment touched in the cloud: now, or as it was when it ended.',
  )
    .argument('<deployment>', 'id of the deployment')
    .action(async (id, wishes) => (await import('./delivery/resources.ts')).resources(id, wishes))

  addServiceCommand(sluice, 'source', 'Show the known sources of a deployment: commit, author, image.')
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
    .action(async (instance, wishes) => (await import('./delivery/logs.ts')).logs(instance, wishes))

  addServiceCommand(
    sluice,
    'permissions',
    'Show the permissions of the key in the organization, a project or an environment.',
  )
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

  addServiceCommand(sluice, 'api', 'Call any operation of the interface, by its name at /docs.')
    .argument('<operation>', 'such as whoami, createProject, deletePipeline')
    .argument('[name=value...]', 'what goes into its path, its query and its body, written as the inputs of deploy')
    .action(async (operation, words, wishes) => (await import('./records.ts')).api(operation, words, wishes))
}

const aboutFiles = (command: Command): Command =>
  command
    .argument('<folder>', 'or a file')
    .option('--project <givenId>', 'the project that the files are for, instead of the one that they name')
    .option('--prune', 'remove what is in the project and in no file')
    .option('--set-secrets', 'set secret values again that are there: they cannot be compared')
