import Type from 'typebox'
import { origin, originExpected, type Settings } from './kinds.ts'

/** Settings of GitHub and GitLab for all organizations. */
export const gitHostsSettings = {
  githubUrl: {
    env: 'SLUICE_GITHUB_URL',
    type: origin,
    default: 'https://github.com',
    expected: originExpected,
    description: 'Address of GitHub or of a GitHub Enterprise server.',
  },
  githubAppId: {
    env: 'SLUICE_GITHUB_APP_ID',
    type: Type.String({ pattern: '^[\\w.]+$' }),
    expected: 'the id of a GitHub App',
    description:
      'ID of the GitHub App of this server. Without an app, Sluice reads only public repositories on GitHub.',
  },
  githubPrivateKey: {
    env: 'SLUICE_GITHUB_PRIVATE_KEY',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => value.includes('PRIVATE KEY')),
    expected: 'a private key in PEM; \\n may replace line breaks',
    description: 'Private key of the GitHub App.',
  },
  githubPrivateKeyFile: {
    env: 'SLUICE_GITHUB_PRIVATE_KEY_FILE',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description: 'File with the private key of the GitHub App, instead of SLUICE_GITHUB_PRIVATE_KEY.',
  },
  githubClientId: {
    env: 'SLUICE_GITHUB_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'the client id of the GitHub App',
    description: 'Client ID of the GitHub App, with which users prove that an installation is theirs.',
  },
  githubClientSecret: {
    env: 'SLUICE_GITHUB_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the client secret of the GitHub App',
    description: 'Client secret of the GitHub App.',
  },
  githubWebhookSecret: {
    env: 'SLUICE_GITHUB_WEBHOOK_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the webhook secret of the GitHub App',
    description: 'Secret with which GitHub signs webhooks.',
  },
  gitlabUrl: {
    env: 'SLUICE_GITLAB_URL',
    type: origin,
    default: 'https://gitlab.com',
    expected: originExpected,
    description:
      'Address of the GitLab instance for all organizations. Organizations can also register their own instances.',
  },
  gitlabClientId: {
    env: 'SLUICE_GITLAB_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'the application id of a GitLab application',
    description:
      'ID of the GitLab application of this server. Without it, Sluice reads only public projects on GitLab.',
  },
  gitlabClientSecret: {
    env: 'SLUICE_GITLAB_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the secret of the GitLab application',
    description: 'Secret of the GitLab application.',
  },
} as const satisfies Settings
