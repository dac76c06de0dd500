// Who may import whom: `npm run imports`. Paths are regular expressions; `$1` in `to` is what `from` matched in
// brackets. A type import counts as an import unless its rule says otherwise.

const server = '^packages/server/src/'
const tests =
  '^e2e/|[.](test|fixture)[.]ts$|/src/testing/|^packages/server/(cluster|crash|storm)/|^packages/runner/hostile/|^bench/'

/** Where programs start and packages are imported. */
const doors =
  '^packages/[^/]+/src/(main|packed|index|build|client/main|platform/(aside/worker|db/migrations/(make-ready-made|write-catalog))|project-files/main)[.](tsx?|js)$'

/** What speaks to the outside world, each in one place. */
const adapters = `${server}([a-z]+)/adapter/`
const feature = `${server}(?!(?:platform|testing|[a-z]+/adapter)/).+/`

/** The wings of the server, each standing on those before it; CONTRIBUTING says what each is. */
const wings = [
  'platform',
  'identity',
  'cloud',
  'git',
  'projects',
  'stacks',
  'modules',
  'gates',
  'delivery',
  'pipelines',
  'infrastructure',
  'notifications',
  'interface',
]

/** States, decisions and the words they are made of: no I/O, so that tests can try everything. */
const pure = [
  `${server}platform/time-windows[.]ts$`,
  `${server}cloud/facts/`,
  `${feature}machine[.]ts$`,
  `${server}gates/(evaluate|scope)[.]ts$`,
  `${server}delivery/deployments/representation/images[.]ts$`,
  `${server}gates/policies/(ask|bundled|calls|check|evaluate|types|variables)[.]ts$`,
  `${server}delivery/deployments/(create/resolve|external/finished-release)[.]ts$`,
  `${server}delivery/deployments/execution/(attempts|events|failures|pauses|progress|state|transitions)[.]ts$`,
  `${server}delivery/deployments/types/[\\w-]+[.]ts$`,
  `${server}delivery/deployments/analysis/(block|machine|spec|standing)[.]ts$`,
  `${server}delivery/deployments/types/[\\w]+/(?!execute[.])`,
  `${server}delivery/deployments/analysis/(?!measure[.])`,
  `${server}notifications/notification-deliveries/(artifact[.]ts$|events/|messages/)`,
  `${server}stacks/iac-states/(machine|state-file)[.]ts$`,
  `${server}modules/module-instances/(graph|immutable|ui)[.]ts$`,
  `${server}modules/module-instances/inputs/`,
  `${server}modules/module-versions/config/(absent|blocks|deploy-block|pasted|schema|templated)[.]ts$`,
  `${server}pipelines/pipeline-runs/(attempt|gates/(approval|freezes)|secrets|skip|take-over|unchanged)[.]ts$`,
  `${server}pipelines/runner-tasks/failures[.]ts$`,
  `${server}pipelines/pipeline-triggers/glob[.]ts$`,
  `${server}pipelines/pipeline-versions/config/(draft|graph|rules|schema|steps|iac-steps|work-steps|source|verbatim)[.]ts$`,
]

/**
 * Imports go down: a domain knows those that it stands on. Domains above register what it needs of them at the extension
 * points in its domain.ts.
 */
const wingsKnowNoneAbove = wings.slice(0, -1).map((wing, at) => ({
  name: `${wing}-knows-no-wing-above`,
  comment: `Above ${wing} stand ${wings.slice(at + 1).join(', ')}.`,
  from: { path: `${server}${wing}/`, pathNot: tests },
  to: { path: `${server}(\\w+[.]ts|(${wings.slice(at + 1).join('|')})/)` },
}))

const forbidden = [
  ...wingsKnowNoneAbove,
  {
    name: 'no-file-is-homeless',
    comment: 'Beside main.ts, worker.ts, api.ts and domains.ts there are only domains, and what tests start.',
    from: {},
    to: { path: server, pathNot: `${server}((main|worker|api|domains)[.]ts|testing/|(${wings.join('|')})/)` },
  },
  {
    name: 'gates-are-asked-at-their-surface',
    comment:
      'Only gates/ knows the inside of a gate, its rules, tables and decisions: others import the files beside it, and' +
      ' ask load.ts what may proceed.',
    from: { path: '^packages/', pathNot: [`${server}gates/`, tests] },
    to: { path: `${server}gates/[^/]+/` },
  },
  {
    name: 'only-domains-import-routes-and-handlers',
    comment: "A feature may use another's store, machine and tables; its domain.ts says what it serves and runs.",
    from: { path: server, pathNot: [`${server}(main[.]ts|[a-z]+/domain[.]ts)$`, tests] },
    to: { path: `${feature}(routes|handlers)[.]ts$` },
  },
  {
    name: 'only-domains-know-the-platform-as-a-whole',
    comment: 'Its database sees every organization, so features receive single parts of it.',
    from: {
      path: server,
      pathNot: [`${server}((main|worker|api|domains)[.]ts|[a-z]+/domain[.]ts|platform/open[.]ts)$`, tests],
    },
    to: { path: `${server}([a-z]+/domain|domains)[.]ts$` },
  },
  {
    name: 'nobody-imports-main',
    comment: 'main.ts knows everything, so only what starts a whole server may know it.',
    from: { path: '^packages/', pathNot: ['^packages/cli/', tests] },
    to: { path: `${server}main[.]ts$` },
  },
  {
    name: 'routes-hold-no-sql',
    comment: 'Wire in, wire out: queries are in the store.',
    from: { path: `${server}.+/routes[.]ts$` },
    to: { path: `${server}platform/db/drizzle[.]ts$` },
  },
  {
    name: 'one-way-to-drizzle',
    comment: 'Each file that names the package makes every start slower: platform/db/drizzle.ts says why.',
    from: { pathNot: [`${server}platform/db/drizzle[.]ts$`, tests] },
    to: { path: '^node_modules/drizzle-orm/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'machines-are-pure',
    comment: 'No database, network, SDK, clock or chance where decisions are made; of tables, the types of their rows.',
    from: { path: pure, pathNot: tests },
    to: {
      pathNot: [
        ...pure,
        `${server}platform/(named-secrets|present|within|aside/answered|http/(faults|listed))[.]ts$`,
        `${feature}tables[.]ts$`,
        '[.]model[.]json$', // data
        '^packages/(contract|expressions)/',
        '^node_modules/(croner|lru-cache|typebox|re2js|@bufbuild)/',
      ],
    },
  },
  {
    name: 'machines-know-tables-by-type',
    from: { path: pure, pathNot: tests },
    to: { path: `${feature}tables[.]ts$`, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'adapters-know-only-words',
    comment: 'An adapter speaks to the outside world in our words: it knows the pure part of features and no more.',
    from: { path: adapters, pathNot: tests },
    to: { path: server, pathNot: [`${server}$1/adapter/`, `${server}platform/`, ...pure] },
  },
  {
    name: 'cloud-sdk-in-its-adapter',
    comment:
      'The demo and the tests of the simulated cloud are its customers too; the simulation itself borrows types.',
    from: {
      path: '^packages/',
      pathNot: [`${server}cloud/adapter/`, '^packages/server/demo/', '^packages/cloud-sim/', tests].flat(),
    },
    to: { path: 'node_modules/@(aws-sdk|smithy)/' },
  },
  {
    name: 'simulated-cloud-borrows-types-of-the-sdk',
    from: { path: '^packages/cloud-sim/', pathNot: tests },
    to: { path: 'node_modules/@(aws-sdk|smithy)/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'engine-sdk-in-its-adapter',
    comment: 'Three files know the engine, so that it can be replaced.',
    from: {
      path: '^packages/',
      pathNot: [`${server}platform/engine/(keyed-by-record|messages|worker)[.]ts$`, tests].flat(),
    },
    to: { path: 'node_modules/@restatedev/' },
  },
  {
    name: 'contract-is-data',
    from: { path: '^packages/contract/', pathNot: tests },
    to: { pathNot: ['^packages/contract/', '^node_modules/typebox/'] },
  },
  {
    name: 'outbound-stands-alone',
    comment: 'Every program that sends requests to others uses it.',
    from: { path: '^packages/outbound/', pathNot: tests },
    to: { pathNot: ['^packages/outbound/', '^node_modules/ipaddr[.]js/', '^node:', '^[a-z_/]+$'] },
  },
  {
    name: 'expressions-import-nothing',
    from: { path: '^packages/expressions/', pathNot: tests },
    to: { pathNot: '^packages/expressions/' },
  },
  {
    name: 'server-does-not-know-the-simulated-cloud',
    from: { path: '^packages/server/', pathNot: tests },
    to: { path: '^packages/cloud-sim/' },
  },
  {
    name: 'simulated-cloud-stands-alone',
    comment: 'A simulation that shared code with what it tests would share its mistakes.',
    from: { path: '^packages/cloud-sim/' },
    to: { path: '^packages/', pathNot: '^packages/cloud-sim/' },
  },
  {
    name: 'runner-stands-alone',
    comment: 'It runs on machines of others, with nothing of the server: what it needs to know is in the contract.',
    from: { path: '^packages/runner/', pathNot: tests },
    to: { path: '^packages/', pathNot: '^packages/(runner|contract|outbound)/' },
  },
  {
    name: 'tests-stay-out-of-the-program',
    from: { path: '^packages/', pathNot: tests },
    to: { path: tests },
  },
  {
    name: 'no-cycles',
    comment: 'Types that know each other are no cycle: they are gone before the program runs.',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'no-cycles-in-the-simulated-cloud',
    comment:
      'There not even types go round: each service keeps its rows in its own state.ts, which knows no behaviour.',
    from: { path: '^packages/cloud-sim/' },
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment: 'Whatever no program and no package reaches is dead, even when a test still knows it.',
    from: { path: doors },
    to: { path: '^packages/[^/]+/(src|demo)/', pathNot: [doors, tests], reachable: false },
  },
  {
    name: 'imports-exist',
    comment: 'What stands on generated clients is run where they are generated: scripts/check-packages.',
    from: { pathNot: '^packages/client/checks/generated/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'packages-are-declared',
    comment: 'In the package.json of the package that imports them, or of tools. Benchmarks use what they measure.',
    from: { pathNot: '^bench/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: '^tools/node_modules/' },
  },
  {
    name: 'programs-need-no-dev-dependencies',
    comment: 'Console and guide are built: their libraries are part of their files.',
    from: { path: '^packages/[^/]+/(src|demo)/', pathNot: ['^packages/(console|guide)/', tests].flat() },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'programs-need-no-tools',
    from: { path: '^packages/[^/]+/(src|demo)/', pathNot: tests },
    to: { path: '^tools/' },
  },
]

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    // The demo's repository is what somebody else would push, and no part of the service.
    exclude: { path: ['^packages/[^/]+/dist/', '^packages/server/demo/repository/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
