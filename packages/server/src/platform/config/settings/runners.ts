import Type from 'typebox'
import { type Settings, url, urlExpected } from './kinds.ts'

/** Settings of runners of the installation, and of those in cloud accounts. */
export const runnersSettings = {
  runnerToken: {
    env: 'SLUICE_RUNNER_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^[\\w-]{32,128}$' }),
    expected: 'at least 32 letters, digits, - or _ (openssl rand -hex 32)',
    description: "What lets the installation's own runners claim steps, where they run elsewhere: `sluice runner`.",
  },
  runnerImage: {
    env: 'SLUICE_RUNNER_IMAGE',
    type: Type.String({ pattern: '^[^\\s]{1,255}$' }),
    expected: 'the name of an image, such as registry.example.com/sluice-runner:1.4.0',
    description:
      "The runner's image, of this release, for steps in cloud accounts. Without it, no execution environment there is ready.",
  },
  runnerUrl: {
    env: 'SLUICE_RUNNER_URL',
    type: url,
    expected: urlExpected,
    description: 'Where tasks in cloud accounts reach this service, if not at SLUICE_PUBLIC_URL.',
  },
  sharedRunners: {
    env: 'SLUICE_SHARED_RUNNERS',
    type: Type.Enum(['on', 'off']),
    default: 'on',
    expected: 'on or off',
    description:
      'Whether steps that name no execution environment run on runners of this installation, or end with an error.',
  },
  runnerCapacity: {
    env: 'SLUICE_RUNNER_CAPACITY',
    type: Type.Integer({ minimum: 1, maximum: 1_000 }),
    expected: 'a whole number from 1 to 1000',
    description: 'Maximum number of steps that the role runner executes at a time. Defaults to the number of cores.',
  },
} as const satisfies Settings
