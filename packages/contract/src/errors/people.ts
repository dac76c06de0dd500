import type { RefusalEntry } from './entry.ts'

export const peopleRefusals = {
  unauthenticated: { code: 'Sluice:Auth:UNAUTHENTICATED', status: 401, title: 'The caller is not known.' },
  forbidden: { code: 'Sluice:Auth:FORBIDDEN', status: 403, title: 'The caller may not do this.' },
  signInFailed: {
    code: 'Sluice:Auth:SIGN_IN_FAILED',
    status: 401,
    title: 'The email, the password or the organization is wrong.',
  },
  registrationClosed: {
    code: 'Sluice:Auth:REGISTRATION_CLOSED',
    status: 403,
    title: 'Nobody registers here without an invitation.',
  },
  crossSite: {
    code: 'Sluice:Auth:CROSS_SITE',
    status: 403,
    title: 'The request carries a session cookie and may come from another site.',
  },
  organizationNotFound: {
    code: 'Sluice:Organizations:NOT_FOUND',
    status: 404,
    title: 'There is no such organization.',
  },
  organizationEnding: {
    code: 'Sluice:Organizations:ENDING',
    status: 409,
    title: 'The organization is to be deleted: until then, nothing in it is changed.',
  },
  organizationNameWrong: {
    code: 'Sluice:Organizations:NAME_WRONG',
    status: 422,
    title: 'The name that confirms the deletion is not that of the organization.',
  },
  organizationBusy: {
    code: 'Sluice:Organizations:BUSY',
    status: 409,
    title: 'Something of the organization runs, or others use what it publishes.',
  },
  organizationStays: {
    code: 'Sluice:Organizations:STAYS',
    status: 409,
    title: 'No deletion of the organization can be taken back: none was asked for, or it has begun.',
  },
  tooManyOrganizations: {
    code: 'Sluice:Organizations:TOO_MANY',
    status: 409,
    title: 'The caller is in so many organizations that no more may be made.',
  },
  userNotFound: { code: 'Sluice:User:NOT_FOUND', status: 404, title: 'The caller is no user but a service account.' },
  currentPasswordWrong: {
    code: 'Sluice:User:CURRENT_PASSWORD_WRONG',
    status: 422,
    title: 'The current password is wrong or missing.',
  },
  membershipNotFound: { code: 'Sluice:Memberships:NOT_FOUND', status: 404, title: 'There is no such membership.' },
  lastOwner: {
    code: 'Sluice:Memberships:LAST_OWNER',
    status: 409,
    title: 'The organization would be without an owner.',
  },
  alreadyMember: {
    code: 'Sluice:Memberships:ALREADY_MEMBER',
    status: 409,
    title: 'The user is a member of the organization already.',
  },
  invitationNotFound: {
    code: 'Sluice:Memberships:INVITATION_NOT_FOUND',
    status: 404,
    title: 'There is no such invitation, or none that can still be accepted.',
  },
  alreadyInvited: {
    code: 'Sluice:Memberships:ALREADY_INVITED',
    status: 409,
    title: 'The email is invited already.',
  },
  serviceAccountNotFound: {
    code: 'Sluice:ServiceAccounts:NOT_FOUND',
    status: 404,
    title: 'There is no such service account.',
  },
  serviceAccountNameTaken: {
    code: 'Sluice:ServiceAccounts:NAME_TAKEN',
    status: 409,
    title: 'Another service account has this name.',
  },
  serviceAccountTrustNotFound: {
    code: 'Sluice:ServiceAccounts:TRUST_NOT_FOUND',
    status: 404,
    title: 'There is no such trust.',
  },
  idTokenRefused: {
    code: 'Sluice:Auth:ID_TOKEN_REFUSED',
    status: 401,
    title: 'The token of the issuer signs nobody in.',
  },
  issuerUnreachable: {
    code: 'Sluice:Auth:ISSUER_UNREACHABLE',
    status: 503,
    title: 'The issuer cannot be asked for its keys.',
  },
  authorizationPending: {
    code: 'Sluice:Auth:AUTHORIZATION_PENDING',
    status: 422,
    title: 'Nobody has decided about the code yet.',
  },
  slowDown: {
    code: 'Sluice:Auth:SLOW_DOWN',
    status: 429,
    title: 'The token is asked for too often.',
  },
  deviceAccessDenied: {
    code: 'Sluice:Auth:ACCESS_DENIED',
    status: 403,
    title: 'Whoever was asked said no.',
  },
  deviceCodeExpired: {
    code: 'Sluice:Auth:EXPIRED_TOKEN',
    status: 404,
    title: 'There is no such code, or it counts no more.',
  },
  slackLinkInvalid: {
    code: 'Sluice:SlackAccounts:LINK_INVALID',
    status: 422,
    title: 'The link to an account at Slack counts no more, or not here.',
  },
  slackAccountTaken: {
    code: 'Sluice:SlackAccounts:TAKEN',
    status: 409,
    title: 'The account at Slack, or the member, is linked already.',
  },
  slackAccountNotFound: {
    code: 'Sluice:SlackAccounts:NOT_FOUND',
    status: 404,
    title: 'There is no such linked account at Slack.',
  },
  identityProviderNotFound: {
    code: 'Sluice:Auth:IDENTITY_PROVIDER_NOT_FOUND',
    status: 404,
    title: 'There is no such identity provider.',
  },
  identityProviderTaken: {
    code: 'Sluice:Auth:IDENTITY_PROVIDER_TAKEN',
    status: 409,
    title: 'The organization has an identity provider already.',
  },
  signInDomainNotFound: { code: 'Sluice:Auth:DOMAIN_NOT_FOUND', status: 404, title: 'There is no such domain.' },
  signInDomainTaken: { code: 'Sluice:Auth:DOMAIN_TAKEN', status: 409, title: 'The domain is claimed already.' },
  signInDomainNotProven: {
    code: 'Sluice:Auth:DOMAIN_NOT_PROVEN',
    status: 422,
    title: 'The DNS record that proves the domain is not there.',
  },
  breakGlassInvalid: {
    code: 'Sluice:Auth:BREAK_GLASS_INVALID',
    status: 422,
    title: 'The one who signs in by password must be an owner with a password.',
  },
  passwordSignInOff: {
    code: 'Sluice:Auth:PASSWORD_SIGN_IN_OFF',
    status: 403,
    title: 'The organization signs in at its identity provider, not by password.',
  },
  signInStateInvalid: {
    code: 'Sluice:Auth:SIGN_IN_STATE_INVALID',
    status: 400,
    title: 'The sign-in was not begun in this browser, took too long, or came back before. Begin again.',
  },
  signInRefused: {
    code: 'Sluice:Auth:SIGN_IN_REFUSED',
    status: 403,
    title: 'The identity provider did not sign you in, or what it said is not to be believed.',
  },
  signInAddressUnverified: {
    code: 'Sluice:Auth:ADDRESS_UNVERIFIED',
    status: 403,
    title: 'The identity provider has not verified your email address.',
  },
  signInDomainForeign: {
    code: 'Sluice:Auth:DOMAIN_FOREIGN',
    status: 403,
    title: 'Your email address is of a domain that the identity provider may not speak for.',
  },
  signInWithoutRole: {
    code: 'Sluice:Auth:WITHOUT_ROLE',
    status: 403,
    title: 'None of your groups has a role here. Ask an owner of the organization.',
  },
  logoutTokenRefused: {
    code: 'Sluice:Auth:LOGOUT_TOKEN_REFUSED',
    status: 400,
    title: 'The logout token is not to be believed.',
  },
  sessionNotFound: { code: 'Sluice:Auth:SESSION_NOT_FOUND', status: 404, title: 'There is no such session of yours.' },
  teamNotFound: { code: 'Sluice:Teams:NOT_FOUND', status: 404, title: 'There is no such team.' },
  teamNameTaken: { code: 'Sluice:Teams:NAME_TAKEN', status: 409, title: 'Another team has this name.' },
  teamMemberNotFound: {
    code: 'Sluice:Teams:MEMBER_NOT_FOUND',
    status: 404,
    title: 'There is no such membership of a team.',
  },
  alreadyInTeam: { code: 'Sluice:Teams:ALREADY_IN_TEAM', status: 409, title: 'The team has this member already.' },
  roleGrantNotFound: { code: 'Sluice:RoleGrants:NOT_FOUND', status: 404, title: 'There is no such role grant.' },
  roleGrantTaken: {
    code: 'Sluice:RoleGrants:TAKEN',
    status: 409,
    title: 'The principal has this role there already.',
  },
  apiKeyNotFound: { code: 'Sluice:ApiKeys:NOT_FOUND', status: 404, title: 'There is no such API key.' },
} as const satisfies Record<string, RefusalEntry>
