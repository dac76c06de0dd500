import { Group, Stack, TextInput } from '@mantine/core'
import type { ModuleInstance } from '@sluice/contract'
import { IconRocket } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { SubmitEvent } from 'react'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { keyOf, useOperation } from '../api/use-operation.ts'
import { AllowedButton } from '../ui/allowed-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Section } from '../ui/section.tsx'

type DeployInput = { id: string; label?: string; description?: string; placeholder?: string; required?: boolean }

/** Asks for what the module's deploy block takes, and deploys. */
export const DeployForm = ({ instance }: { instance: ModuleInstance }) => {
  const router = useRouter()
  const version = useOperation('getModuleVersion', { params: { id: instance.moduleVersionId } })
  const deploy = useMutation({
    mutationFn: ({ description, inputs }: { description: string; inputs: Record<string, string> }) =>
      client.createDeployment({ body: { data: { moduleInstanceId: instance.id, description, inputs } } }),
    onSuccess: async ({ data }) => {
      await queryClient.invalidateQueries({ queryKey: keyOf('listDeployments') })
      await router.navigate({ to: '/console/deployments/$id', params: { id: data.id } })
    },
  })
  const block = version.data?.data.config.deploy as { inputs?: DeployInput[] } | undefined
  if (!block) return null
  const declared = block.inputs ?? []
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = declared.map(({ id }) => [id, String(form.get(`input.${id}`) ?? '')] as const)
    const inputs = Object.fromEntries(given.filter(([, value]) => value !== ''))
    deploy.mutate({ description: String(form.get('description') ?? ''), inputs })
  }
  return (
    <Section title="Deploy">
      <form onSubmit={submit}>
        <Stack gap="sm">
          {deploy.error && <ErrorPanel error={errorOf(deploy.error)} />}
          {declared.map(({ id, label, description, placeholder, required = false }) => (
            <TextInput
              key={id}
              name={`input.${id}`}
              label={label ?? id}
              description={description}
              placeholder={placeholder ?? ''}
              required={required}
            />
          ))}
          <TextInput name="description" label="What is it about?" placeholder="Version 2" />
          <Group>
            <AllowedButton
              needs="deployments:write"
              type="submit"
              leftSection={<IconRocket size={16} aria-hidden />}
              loading={deploy.isPending}
            >
              Deploy
            </AllowedButton>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
