import { Box, Text } from '@mantine/core'
import type { Environment, Service, ServiceHealth, ServicePromotionCandidate } from '@sluice/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { useHealth } from '../services/use-health.ts'
import { TextLink } from '../ui/text-link.tsx'
import { variables } from '../ui/variables.ts'
import { healthRequests } from './health-requests.ts'
import classes from './matrix.module.css'
import { ServiceCell } from './service-cell.tsx'
import { type OtherEnvironment, ServiceMenu } from './service-menu.tsx'

type Props = {
  services: readonly Service[]
  /** Promotion candidates by the `givenId` of services. */
  promotionCandidates: Readonly<Record<string, readonly ServicePromotionCandidate[]>>
  /** In configured order. */
  environments: readonly Environment[]
  totalCount: number
  /** Loads more; called when the last row is visible. */
  onEnd: () => void
}

/** Shows services by environment. Virtualized, because there can be hundreds. */
export const Matrix = ({ services, promotionCandidates, environments, totalCount, onEnd }: Props) => {
  const container = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: services.length,
    getScrollElement: () => container.current,
    estimateSize: () => 74,
    getItemKey: (index) => services[index]?.givenId ?? index,
    overscan: 6,
    paddingStart: 40, // the head
  })
  const rows = virtual.getVirtualItems()
  const last = rows.at(-1)?.index
  const shown = rows.map(({ index }) => index)
  const healths = useHealth(healthRequests(services, shown))
  useEffect(() => {
    if (last !== undefined && last >= services.length - 10) onEnd()
  }, [last, services.length, onEnd])
  return (
    <Box
      ref={container}
      component="section"
      className={classes.scroll}
      tabIndex={0}
      aria-label="Services and environments"
      data-scrollarea-viewport
    >
      <table
        aria-label="Services by environment"
        aria-rowcount={totalCount + 1}
        className={classes.table}
        style={{ height: virtual.getTotalSize(), ...variables({ '--environments': String(environments.length) }) }}
      >
        <thead className={classes.head}>
          <tr aria-rowindex={1} className={classes.row}>
            <th scope="col" className={`${classes.cell} ${classes.name}`}>
              Service
            </th>
            {environments.map(({ id, name }) => (
              <th key={id} scope="col" className={classes.cell}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={classes.services}>
          {rows.map(({ index, key, start }) => {
            const service = services[index]
            return (
              service && (
                <tr
                  key={key}
                  aria-rowindex={index + 2}
                  ref={virtual.measureElement}
                  data-index={index}
                  className={`${classes.row} ${classes.service}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Cells
                    service={service}
                    promotionCandidates={promotionCandidates[service.givenId] ?? []}
                    environments={environments}
                    healths={healths}
                  />
                </tr>
              )
            )
          })}
        </tbody>
      </table>
    </Box>
  )
}

type CellsProps = {
  service: Service
  promotionCandidates: readonly ServicePromotionCandidate[]
  environments: readonly Environment[]
  /** Health by instance ID, as far as it is loaded. */
  healths: Readonly<Record<string, ServiceHealth>>
}

const Cells = ({ service, promotionCandidates, environments, healths }: CellsProps) => {
  const { name, givenId, places } = service
  const placed = environments.flatMap((environment): OtherEnvironment[] => {
    const place = places.find(({ environmentId }) => environmentId === environment.id)
    return place ? [{ environment, place }] : []
  })
  return (
    <>
      <th scope="row" className={`${classes.cell} ${classes.name}`}>
        <Text fw={650} truncate title={name}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {[givenId === name ? undefined : givenId, places[0]?.type].filter(Boolean).join(' · ')}
        </Text>
      </th>
      {environments.map((environment) => {
        const at = placed.findIndex((one) => one.environment === environment)
        const place = placed[at]?.place
        const next = placed[at + 1]
        const of = promotionCandidates.find(({ fromEnvironmentId }) => fromEnvironmentId === environment.id)
        return (
          <td key={environment.id} className={classes.cell}>
            {place ? (
              <>
                <ServiceCell
                  place={place}
                  health={healths[place.moduleInstanceId]}
                  promotionCandidates={of && next && { of, to: next.environment.name }}
                />
                <div className={classes.menu}>
                  <ServiceMenu
                    label={`${name} in ${environment.name}`}
                    environment={environment}
                    place={place}
                    next={next}
                  />
                </div>
              </>
            ) : (
              <TextLink
                to="/console/environments/$id/new"
                params={{ id: environment.id }}
                c="dimmed"
                size="sm"
                aria-label={`Create instance in ${environment.name}`}
                className={classes.absent ?? ''}
              >
                –
              </TextLink>
            )}
          </td>
        )
      })}
    </>
  )
}
