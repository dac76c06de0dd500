import type { FakeGitHostA } from './githosta.fixture.ts'
import type { FakeGitHostB } from './githostb.fixture.ts'

/** Returns server settings for both fake hosts. */
export const settingsOfFakes = (a: FakeGitHostA, b: FakeGitHostB): Record<string, string> => ({
  ...settingsOfFakeA(a),
  ...settingsOfFakeB(b),
})

/** Returns server settings for the fake GitLab. */
export const settingsOfFakeB = (b: FakeGitHostB): Record<string, string> => ({
  SLUICE_GITLAB_URL: b.url,
  SLUICE_GITLAB_CLIENT_ID: b.client.clientId,
  SLUICE_GITLAB_CLIENT_SECRET: b.client.clientSecret,
})

/** Returns server settings for the fake GitHub. */
export const settingsOfFakeA = (a: FakeGitHostA): Record<string, string> => ({
  SLUICE_GITHUB_URL: a.url,
  SLUICE_GITHUB_APP_ID: a.app.id,
  SLUICE_GITHUB_PRIVATE_KEY: a.app.privateKey.replaceAll('\n', '\\n'),
  SLUICE_GITHUB_CLIENT_ID: a.app.clientId,
  SLUICE_GITHUB_CLIENT_SECRET: a.app.clientSecret,
  SLUICE_GITHUB_WEBHOOK_SECRET: a.app.webhookSecret,
})
