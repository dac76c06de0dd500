import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'

/** Signs out here and, if the organization has single sign-on, at its identity provider. */
export function useSignOut() {
  const router = useRouter()
  return useMutation({
    mutationFn: async () => {
      const link = await client.getSignOutLink().catch(() => undefined) // signing out here works without it
      await client.logout()
      return link?.data.url
    },
    onSettled: async (elsewhere) => {
      queryClient.clear()
      if (elsewhere !== undefined) return window.location.assign(elsewhere)
      await router.navigate({ to: '/console/sign-in' })
    },
  })
}
