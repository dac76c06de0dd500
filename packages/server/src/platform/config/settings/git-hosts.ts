import Type from 'typebox'
import { origin, originExpected, type Settings } from './kinds.ts'

/** Settings of GitHub and GitLab for all organizations. */
export const gitHostsSettings = {
  githubUrl: {
    env: 'SLUICE_GITHUB_URL',
    type: origin,
    default: 'https://github.com',
    expected: originExpected,
    description: 'GitHub, or an enterprise server.',
  },
  githubAppId: {
    env: 'SLUICE_GITHUB_APP_ID',
    type: Type.String({ pattern: '^[\\w.]+$' }),
    expected: 'the id of a GitHub App',
    description: 'The GitHub App that this server is. Without it, only public repositories of GitHub are read.',
  },
  githubPrivateKey: {
    env: 'SLUICE_GITHUB_PRIVATE_KEY',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => value.includes('PRIVATE KEY')),
    expected: 'a private key in PEM; \\n may replace line breaks',
    description: "The GitHub App's private key.",
  },
  githubPrivateKeyFile: {
    env: 'SLUICE_GITHUB_PRIVATE_KEY_FILE',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description: 'A file with that key, instead of SLUICE_GITHUB_PRIVATE_KEY.',
  },
  githubClientId: {
    env: 'SLUICE_GITHUB_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'the client id of the GitHub App',
    description: "The GitHub App's client id, with which people prove that an installation is theirs.",
  },
  githubClientSecret: {
    env: 'SLUICE_GITHUB_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the client secret of the GitHub App',
    description: "The GitHub App's client secret.",
  },
  githubWebhookSecret: {
    env: 'SLUICE_GITHUB_WEBHOOK_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the webhook secret of the GitHub App',
    description: 'What GitHub signs its webhooks with.',
  },
  gitlabUrl: {
    env: 'SLUICE_GITLAB_URL',
    type: origin,
    default: 'https://gitlab.com',
    expected: originExpected,
    description: 'GitLab, as it is offered to all organizations. They register instances of their own themselves.',
  },
  gitlabClientId: {
    env: 'SLUICE_GITLAB_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'the application id of a GitLab application',
    description: 'The GitLab application that this server is. Without it, only public projects of GitLab are read.',
  },
  gitlabClientSecret: {
    env: 'SLUICE_GITLAB_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the secret of the GitLab application',
    description: "The GitLab application's secret.",
  },
} as const satisfies Settings
