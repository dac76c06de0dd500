import { Stack } from '@mantine/core'
import { IdentityProviderSection } from './identity-provider.tsx'
import { SignInDomains } from './sign-in-domains.tsx'
import { SignInPolicySection } from './sign-in-policy.tsx'

/** Settings of single sign-on. */
export const SingleSignOn = () => (
  <Stack gap="lg">
    <IdentityProviderSection />
    <SignInDomains />
    <SignInPolicySection />
  </Stack>
)
