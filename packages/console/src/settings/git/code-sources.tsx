import { Badge, Group, Stack, Text } from '@mantine/core'
import type { CodeSource } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { gitHostNames } from './git-host-names.ts'
import { GitHosts } from './git-hosts.tsx'
import { NewCodeSource } from './new-code-source.tsx'

/** Manages connected repositories and Git host access. */
export const CodeSources = () => {
  const sources = useCompleteList('listCodeSources', {})
  return (
    <Stack gap="lg">
      <Section title="Code sources" aside={<NewCodeSource />}>
        <QueryResult of={sources}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="No repositories yet">
                  Connect a repository to build and deploy its code. Public repositories need only their URL.
                </Notice>
              }
            >
              {(source) => <Source source={source} />}
            </Rows>
          )}
        </QueryResult>
      </Section>
      <GitHosts />
    </Stack>
  )
}

const Source = ({ source }: { source: CodeSource }) => {
  const { id, type, repoName, repoUrl, defaultBranch, visibility, accessLost } = source
  const remove = useApiMutation(() => client.deleteCodeSource({ params: { id } }), ['listCodeSources'])
  const webhook = useApiMutation(() => client.createWebhookSecret({ params: { id } }), [])
  const mutationError = remove.error ?? webhook.error
  return (
    <Stack gap="xs" py="sm">
      <Group justify="space-between">
        <div>
          <Text fw={600}>{repoName}</Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {[gitHostNames[type], repoUrl, defaultBranch].filter(Boolean).join(' · ')}
          </Text>
        </div>
        {accessLost ? (
          <Badge color="red" variant="light" tt="none">
            Access lost
          </Badge>
        ) : (
          <Badge color="gray" variant="light" tt="capitalize">
            {visibility.toLowerCase()}
          </Badge>
        )}
      </Group>
      {accessLost && <Text size="sm">The Git host denied access. Connect to it again below.</Text>}
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <Group gap="xs">
        {type !== 'GITHOSTA' && (
          <ConfirmButton
            permission="code-sources:write"
            size="xs"
            variant="default"
            label="Rotate webhook secret"
            question="Rotate the webhook secret?"
            loading={webhook.isPending}
            onConfirm={() => webhook.mutate(undefined)}
          >
            The current secret stops working. Pushes trigger nothing until you update the webhook at the Git host.
          </ConfirmButton>
        )}
        <RemoveButton permission="code-sources:write" label="Disconnect" name={repoName} change={remove}>
          Steps that use this repository fail from now on, and pushes to it no longer trigger anything.
        </RemoveButton>
      </Group>
      <SecretDialog title={`Webhook of ${repoName}`} isOpen={webhook.data !== undefined} onClose={webhook.reset}>
        <Copyable label="URL" value={webhook.data?.data.url ?? ''} />
        <Copyable label="Secret" value={webhook.data?.data.secret ?? ''} />
      </SecretDialog>
    </Stack>
  )
}
