import type { ApiErrorEntry } from './entry.ts'

export const peopleErrors = {
  unauthenticated: { code: 'Sluice:Auth:UNAUTHENTICATED', status: 401, title: 'The caller is not authenticated.' },
  forbidden: { code: 'Sluice:Auth:FORBIDDEN', status: 403, title: 'The caller does not have permission.' },
  signInFailed: {
    code: 'Sluice:Auth:SIGN_IN_FAILED',
    status: 401,
    title: 'The email address, the password or the organization is wrong.',
  },
  registrationClosed: {
    code: 'Sluice:Auth:REGISTRATION_CLOSED',
    status: 403,
    title: 'Registration requires an invitation.',
  },
  crossSite: {
    code: 'Sluice:Auth:CROSS_SITE',
    status: 403,
    title: 'The request has a session cookie and may come from another site.',
  },
  organizationNotFound: {
    code: 'Sluice:Organizations:NOT_FOUND',
    status: 404,
    title: 'The organization does not exist.',
  },
  organizationEnding: {
    code: 'Sluice:Organizations:BEING_DELETED',
    status: 409,
    title: 'The organization is scheduled for deletion and is read-only.',
  },
  organizationNameWrong: {
    code: 'Sluice:Organizations:NAME_MISMATCH',
    status: 422,
    title: 'The confirmation does not match the name of the organization.',
  },
  organizationBusy: {
    code: 'Sluice:Organizations:BUSY',
    status: 409,
    title: 'The organization has operations in progress, or others use its published modules.',
  },
  organizationStays: {
    code: 'Sluice:Organizations:NOT_DELETABLE',
    status: 409,
    title: 'The organization has no deletion that can be cancelled.',
  },
  tooManyOrganizations: {
    code: 'Sluice:Organizations:TOO_MANY',
    status: 409,
    title: 'The caller has reached the limit of organizations.',
  },
  userNotFound: { code: 'Sluice:User:NOT_FOUND', status: 404, title: 'The caller is a service account, not a user.' },
  currentPasswordWrong: {
    code: 'Sluice:User:CURRENT_PASSWORD_WRONG',
    status: 422,
    title: 'The current password is wrong or missing.',
  },
  membershipNotFound: { code: 'Sluice:Memberships:NOT_FOUND', status: 404, title: 'The membership does not exist.' },
  lastOwner: {
    code: 'Sluice:Memberships:LAST_OWNER',
    status: 409,
    title: 'The organization must have at least one owner.',
  },
  alreadyMember: {
    code: 'Sluice:Memberships:ALREADY_MEMBER',
    status: 409,
    title: 'The user is already a member of the organization.',
  },
  invitationNotFound: {
    code: 'Sluice:Memberships:INVITATION_NOT_FOUND',
    status: 404,
    title: 'The invitation does not exist or can no longer be accepted.',
  },
  alreadyInvited: {
    code: 'Sluice:Memberships:ALREADY_INVITED',
    status: 409,
    title: 'The email address has already been invited.',
  },
  serviceAccountNotFound: {
    code: 'Sluice:ServiceAccounts:NOT_FOUND',
    status: 404,
    title: 'The service account does not exist.',
  },
  serviceAccountNameTaken: {
    code: 'Sluice:ServiceAccounts:NAME_TAKEN',
    status: 409,
    title: 'Another service account has this name.',
  },
  serviceAccountTrustNotFound: {
    code: 'Sluice:ServiceAccounts:TRUST_NOT_FOUND',
    status: 404,
    title: 'The trust does not exist.',
  },
  idTokenRefused: {
    code: 'Sluice:Auth:ID_TOKEN_REJECTED',
    status: 401,
    title: 'The ID token is not accepted.',
  },
  issuerUnreachable: {
    code: 'Sluice:Auth:ISSUER_UNREACHABLE',
    status: 503,
    title: 'The keys of the issuer are unavailable.',
  },
  authorizationPending: {
    code: 'Sluice:Auth:AUTHORIZATION_PENDING',
    status: 422,
    title: 'The authorization is still pending.',
  },
  slowDown: {
    code: 'Sluice:Auth:SLOW_DOWN',
    status: 429,
    title: 'The token is requested too often.',
  },
  deviceAccessDenied: {
    code: 'Sluice:Auth:ACCESS_DENIED',
    status: 403,
    title: 'The user denied the authorization.',
  },
  deviceCodeExpired: {
    code: 'Sluice:Auth:EXPIRED_TOKEN',
    status: 404,
    title: 'The code does not exist or has expired.',
  },
  slackLinkInvalid: {
    code: 'Sluice:SlackAccounts:LINK_INVALID',
    status: 422,
    title: 'The Slack link is invalid or has expired.',
  },
  slackAccountTaken: {
    code: 'Sluice:SlackAccounts:TAKEN',
    status: 409,
    title: 'The Slack account or the member is already linked.',
  },
  slackAccountNotFound: {
    code: 'Sluice:SlackAccounts:NOT_FOUND',
    status: 404,
    title: 'The linked Slack account does not exist.',
  },
  identityProviderNotFound: {
    code: 'Sluice:Auth:IDENTITY_PROVIDER_NOT_FOUND',
    status: 404,
    title: 'The identity provider does not exist.',
  },
  identityProviderTaken: {
    code: 'Sluice:Auth:IDENTITY_PROVIDER_TAKEN',
    status: 409,
    title: 'The organization already has an identity provider.',
  },
  signInDomainNotFound: { code: 'Sluice:Auth:DOMAIN_NOT_FOUND', status: 404, title: 'The domain does not exist.' },
  signInDomainTaken: { code: 'Sluice:Auth:DOMAIN_TAKEN', status: 409, title: 'The domain is already claimed.' },
  signInDomainNotProven: {
    code: 'Sluice:Auth:DOMAIN_NOT_VERIFIED',
    status: 422,
    title: 'The DNS record that verifies ownership of the domain was not found.',
  },
  breakGlassInvalid: {
    code: 'Sluice:Auth:BREAK_GLASS_INVALID',
    status: 422,
    title: 'The user who can sign in with a password must be an owner with a password.',
  },
  passwordSignInOff: {
    code: 'Sluice:Auth:PASSWORD_SIGN_IN_DISABLED',
    status: 403,
    title: 'The organization requires sign-in at its identity provider instead of a password.',
  },
  signInStateInvalid: {
    code: 'Sluice:Auth:SIGN_IN_STATE_INVALID',
    status: 400,
    title: 'The sign-in was started in another browser, has expired, or was already completed. Start again.',
  },
  signInRefused: {
    code: 'Sluice:Auth:SIGN_IN_REJECTED',
    status: 403,
    title: 'The identity provider did not sign you in, or its response is invalid.',
  },
  signInAddressUnverified: {
    code: 'Sluice:Auth:ADDRESS_UNVERIFIED',
    status: 403,
    title: 'The identity provider has not verified your email address.',
  },
  signInDomainForeign: {
    code: 'Sluice:Auth:DOMAIN_NOT_ALLOWED',
    status: 403,
    title: 'Your email address belongs to a domain that the identity provider cannot authenticate.',
  },
  signInWithoutRole: {
    code: 'Sluice:Auth:NO_ROLE',
    status: 403,
    title: 'None of your groups has a role here. Ask an owner of the organization.',
  },
  logoutTokenRefused: {
    code: 'Sluice:Auth:LOGOUT_TOKEN_REJECTED',
    status: 400,
    title: 'The logout token is invalid.',
  },
  sessionNotFound: {
    code: 'Sluice:Auth:SESSION_NOT_FOUND',
    status: 404,
    title: 'The session does not exist or is not yours.',
  },
  teamNotFound: { code: 'Sluice:Teams:NOT_FOUND', status: 404, title: 'The team does not exist.' },
  teamNameTaken: { code: 'Sluice:Teams:NAME_TAKEN', status: 409, title: 'Another team has this name.' },
  teamMemberNotFound: {
    code: 'Sluice:Teams:MEMBER_NOT_FOUND',
    status: 404,
    title: 'The team member does not exist.',
  },
  alreadyInTeam: { code: 'Sluice:Teams:ALREADY_IN_TEAM', status: 409, title: 'The team already has this member.' },
  roleGrantNotFound: { code: 'Sluice:RoleGrants:NOT_FOUND', status: 404, title: 'The role grant does not exist.' },
  roleGrantTaken: {
    code: 'Sluice:RoleGrants:TAKEN',
    status: 409,
    title: 'The principal already has this role on the resource.',
  },
  apiKeyNotFound: { code: 'Sluice:ApiKeys:NOT_FOUND', status: 404, title: 'The API key does not exist.' },
} as const satisfies Record<string, ApiErrorEntry>
