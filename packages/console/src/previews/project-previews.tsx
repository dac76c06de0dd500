import { Badge, Group, Stack, Text } from '@mantine/core'
import type { PreviewEnvironment } from '@sluice/contract'
import { client } from '../api/client.ts'
import { PermissionScopeContext } from '../api/scope.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Facts } from '../ui/facts.tsx'
import { Section } from '../ui/section.tsx'
import { Rows } from '../ui/tables/rows.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { duration, toTheMinute } from '../ui/time.tsx'
import { endReasonLabels, statusColor, statusLabels } from './preview-labels.ts'

/** Lists the preview environments of a project with their size; nothing if there are none. */
export const ProjectPreviews = ({ projectId }: { projectId: string }) => {
  const previews = useCompleteList('listPreviewEnvironments', { projectId, includeDeleted: false, limit: 100 })
  if (!previews.data || previews.data.length === 0) return null
  return (
    <Section title="Preview environments">
      <Rows of={previews.data} empty={null}>
        {(preview) => <PreviewRow preview={preview} />}
      </Rows>
    </Section>
  )
}

const shows = ['listPreviewEnvironments'] as const

/** Hours that each extension adds. */
const moreHours = 24

const PreviewRow = ({ preview }: { preview: PreviewEnvironment }) => {
  const { id, givenId, projectId, environmentId, status, message, endReason, pipelineRunId, expiresAt } = preview
  const { number, branch, commit, by, isFromFork } = preview.pullRequest
  const params = { id }
  const extend = useApiMutation(
    () => client.extendPreviewEnvironment({ params, body: { data: { hours: moreHours } } }),
    shows,
  )
  const end = useApiMutation(() => client.endPreviewEnvironment({ params }), shows)
  const retry = useApiMutation(() => client.retryPreviewEnvironment({ params }), shows)
  const error = extend.error ?? end.error ?? retry.error
  const hasFailed = status === 'FAILED' || (status === 'DESTROYING' && preview.failedTeardowns > 0)
  return (
    <PermissionScopeContext value={{ projectId, ...(environmentId !== undefined && { environmentId }) }}>
      <Stack gap="xs" py="sm" role="group" aria-label={givenId}>
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Text fw={600}>{givenId}</Text>
            <Badge variant="light" color={statusColor(preview)} tt="none">
              {statusLabels[status]}
            </Badge>
          </Group>
          <Group gap="xs">
            {hasFailed && (
              <PermissionButton
                permission="preview-environments:write"
                variant="light"
                size="xs"
                aria-label={`Try again: ${givenId}`}
                loading={retry.isPending}
                onClick={() => retry.mutate(undefined)}
              >
                Try again
              </PermissionButton>
            )}
            {endReason === undefined && (
              <>
                <PermissionButton
                  permission="preview-environments:write"
                  variant="subtle"
                  size="xs"
                  aria-label={`Extend by ${moreHours} hours: ${givenId}`}
                  loading={extend.isPending}
                  onClick={() => extend.mutate(undefined)}
                >
                  Extend by {moreHours} hours
                </PermissionButton>
                <ConfirmButton
                  permission="preview-environments:write"
                  variant="subtle"
                  color="red"
                  size="xs"
                  label="Delete"
                  ariaLabel={`Delete ${givenId}`}
                  question={`Delete ${givenId}?`}
                  loading={end.isPending}
                  onConfirm={() => end.mutate(undefined)}
                >
                  The infrastructure is destroyed. Reopening the pull request creates it again.
                </ConfirmButton>
              </>
            )}
          </Group>
        </Group>
        {error && <ErrorPanel error={errorOf(error)} />}
        {message !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
        )}
        <Facts
          facts={{
            'Pull request': `#${number} ${branch} at ${commit.slice(0, 8)}, by ${by}${isFromFork ? ', from a fork' : ''}`,
            Run:
              pipelineRunId === undefined ? undefined : (
                <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }} size="sm">
                  View run
                </TextLink>
              ),
            Expires: expiresAt === undefined ? undefined : toTheMinute(expiresAt),
            'Ended because': endReason === undefined ? undefined : endReasonLabels[endReason],
            'Next attempt': preview.retryAt === undefined ? undefined : toTheMinute(preview.retryAt),
            Uptime: duration(preview.upSeconds * 1_000),
            Contents: `${preview.instanceCount} instances, ${preview.resourceCount} resources`,
          }}
        />
      </Stack>
    </PermissionScopeContext>
  )
}
