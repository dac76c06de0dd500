import { isHostName } from '@sluice/outbound/addresses'
import Type from 'typebox'
import { issuer, type Settings } from './kinds.ts'

/** Settings of the sign-in page and the identity provider of the installation. */
export const signInSettings = {
  signInNote: {
    env: 'SLUICE_SIGN_IN_NOTE',
    type: Type.String({ minLength: 1, maxLength: 300 }),
    expected: 'a text of at most 300 characters',
    description: 'Text below the sign-in form, such as who to ask for an account.',
  },
  oidcIssuer: {
    env: 'SLUICE_OIDC_ISSUER',
    type: issuer,
    expected: 'the https:// address of an OpenID Connect provider, as it names itself',
    description: 'Identity provider that users of all organizations can sign in with.',
  },
  oidcClientId: {
    env: 'SLUICE_OIDC_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'what that provider calls this service',
    description: 'Client ID of Sluice at the identity provider.',
  },
  oidcClientSecret: {
    env: 'SLUICE_OIDC_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the secret of that client',
    description: 'Client secret of Sluice at the identity provider.',
  },
  oidcName: {
    env: 'SLUICE_OIDC_NAME',
    type: Type.String({ minLength: 1, maxLength: 60 }),
    default: 'single sign-on',
    expected: 'a name of at most 60 characters',
    description: 'Name of the identity provider on the sign-in page.',
  },
  oidcDomains: {
    env: 'SLUICE_OIDC_DOMAINS',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isHostName(value)),
      { minItems: 1 },
    ),
    expected: 'domains such as example.com, separated by commas',
    description: 'Domains of email addresses that the identity provider may vouch for.',
  },
  oidcOrganization: {
    env: 'SLUICE_OIDC_ORGANIZATION',
    type: Type.String({ minLength: 1 }),
    expected: 'the givenId of an organization',
    description: 'Organization that users join when they first sign in. Without it, only existing members can sign in.',
  },
  oidcGroupsClaim: {
    env: 'SLUICE_OIDC_GROUPS_CLAIM',
    type: Type.String({ minLength: 1 }),
    default: 'groups',
    expected: 'the name of a claim',
    description: 'Claim with the groups of a user.',
  },
  oidcGroupRoles: {
    env: 'SLUICE_OIDC_GROUP_ROLES',
    type: Type.Array(Type.String({ pattern: '^.+=(VIEWER|DEVELOPER|ADMIN|OWNER)$' }), { minItems: 1 }),
    expected: 'pairs such as platform=ADMIN, separated by commas',
    description: 'Roles in that organization by group, assigned at each sign-in.',
  },
  oidcGroupTeams: {
    env: 'SLUICE_OIDC_GROUP_TEAMS',
    type: Type.Array(Type.String({ pattern: '^.+=.+$' }), { minItems: 1 }),
    expected: 'pairs such as platform=Platform team, separated by commas',
    description: 'Team names in that organization by group. Memberships are updated at each sign-in.',
  },
  oidcDefaultRole: {
    env: 'SLUICE_OIDC_DEFAULT_ROLE',
    type: Type.Enum(['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER']),
    expected: 'VIEWER, DEVELOPER, ADMIN or OWNER',
    description: 'Role of users who are in none of these groups. Without it, they cannot sign in.',
  },
} as const satisfies Settings
