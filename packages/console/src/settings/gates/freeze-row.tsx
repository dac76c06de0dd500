import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Freeze } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { isActive } from '../../freezes/active-freezes.ts'
import { describeBlocked, describeWindow } from '../../freezes/freeze-text.ts'
import { OverrideFreezeButton } from '../../freezes/override-freeze-button.tsx'
import { permissionScopeOf } from '../../freezes/permission-scope.ts'
import { ScopeLink } from '../../freezes/scope-link.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { ClockTime, TimeAgo } from '../../ui/time.tsx'
import { EditFreeze } from './freeze-form.tsx'
import { FreezeOverrides } from './freeze-overrides.tsx'

type Props = { freeze: Freeze; now: number }

/** Shows a freeze with its actions. */
export const FreezeRow = ({ freeze, now }: Props) => {
  const { id, name, reason, mode, createdBy } = freeze
  const [isOpen, { toggle }] = useDisclosure(false)
  const lift = useApiMutation(
    () => client.deleteFreeze({ params: { id } }),
    ['listFreezes', 'listActiveFreezes', 'getDeployment', 'listDeployments'],
  )
  return (
    <PermissionScopeContext value={permissionScopeOf(freeze)}>
      <Stack gap="xs" py="sm" role="group" aria-label={name}>
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            <FreezeStatus freeze={freeze} now={now} />
            {mode === 'WARN' && (
              <Badge variant="light" color="gray" tt="none">
                Warn only
              </Badge>
            )}
          </Group>
          <Group gap="xs">
            <EditFreeze of={freeze} />
            <ConfirmButton
              permission="freezes:write"
              variant="subtle"
              color="red"
              size="xs"
              label="Lift"
              ariaLabel={`Lift ${name}`}
              question={`Lift ${name}?`}
              loading={lift.isPending}
              onConfirm={() => lift.mutate(undefined)}
            >
              Anything that waits for it starts immediately. The freeze and its overrides are deleted. The audit log
              keeps both.
            </ConfirmButton>
          </Group>
        </Group>
        {lift.error && <ErrorPanel error={errorOf(lift.error)} />}
        <ManagedRow projectId={freeze.projectId} recordId={id} />
        {reason !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {reason}
          </Text>
        )}
        <Facts
          facts={{
            Scope: <ScopeLink rule={freeze} />,
            Schedule: describeWindow(freeze.window),
            ...('cron' in freeze.window && {
              [isActive(freeze, now) ? 'Current period' : 'Next period']: <Period freeze={freeze} />,
            }),
            Blocks: describeBlocked(freeze.stops),
            Releases: freeze.stops.includes('RELEASES') ? releasesWords(freeze) : undefined,
            'Created by': createdBy,
          }}
        />
        <Group gap="xs">
          {isActive(freeze, now) && mode === 'ENFORCE' && <OverrideFreezeButton freeze={freeze} />}
          <Button variant="subtle" size="xs" aria-expanded={isOpen} onClick={toggle}>
            Overrides
          </Button>
        </Group>
        {isOpen && <FreezeOverrides freeze={freeze} now={now} />}
      </Stack>
    </PermissionScopeContext>
  )
}

/** Shows whether the freeze is active, upcoming or ended. */
const FreezeStatus = ({ freeze, now }: Props) => {
  const { period } = freeze
  if (isActive(freeze, now)) {
    return (
      <Badge variant="light" color="orange" tt="none">
        Active
      </Badge>
    )
  }
  return (
    <Badge variant="light" color="gray" tt="none">
      {period === undefined || Date.parse(period.until) <= now ? (
        'Ended'
      ) : (
        <>
          Starts <TimeAgo at={period.from} />
        </>
      )}
    </Badge>
  )
}

const Period = ({ freeze: { period } }: { freeze: Freeze }) =>
  period ? (
    <>
      <ClockTime at={period.from} /> – <ClockTime at={period.until} />
    </>
  ) : (
    'None'
  )

function releasesWords({ onRelease, afterwards }: Freeze): string {
  if (onRelease === 'REJECT') return 'Are rejected'
  return afterwards === 'ALL' ? 'Wait, then start when it ends' : 'Wait, then the newest of each instance starts'
}
