import Type from 'typebox'
import { type Settings, url, urlExpected } from './kinds.ts'

/** Settings of runners of the installation, and of those in cloud accounts. */
export const runnersSettings = {
  runnerToken: {
    env: 'SLUICE_RUNNER_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^[\\w-]{32,128}$' }),
    expected: 'at least 32 letters, digits, - or _ (openssl rand -hex 32)',
    description: 'Token with which the runners of this installation (`sluice runner`) claim steps from other machines.',
  },
  runnerImage: {
    env: 'SLUICE_RUNNER_IMAGE',
    type: Type.String({ pattern: '^[^\\s]{1,255}$' }),
    expected: 'the name of an image, such as registry.example.com/sluice-runner:1.4.0',
    description:
      'Runner image of this version, for steps in cloud accounts. Without it, execution environments in the cloud are unavailable.',
  },
  runnerUrl: {
    env: 'SLUICE_RUNNER_URL',
    type: url,
    expected: urlExpected,
    description: 'URL at which tasks in cloud accounts reach this service, if it differs from SLUICE_PUBLIC_URL.',
  },
  sharedRunners: {
    env: 'SLUICE_SHARED_RUNNERS',
    type: Type.Enum(['on', 'off']),
    default: 'on',
    expected: 'on or off',
    description:
      'Whether steps without an execution environment run on the runners of this installation. If off, they fail.',
  },
  runnerCapacity: {
    env: 'SLUICE_RUNNER_CAPACITY',
    type: Type.Integer({ minimum: 1, maximum: 1_000 }),
    expected: 'a whole number from 1 to 1000',
    description: 'Maximum number of concurrent steps of the role runner. Defaults to the number of cores.',
  },
} as const satisfies Settings
