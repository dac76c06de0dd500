import { type Declarations, scopesFromColumns } from '../platform/records.ts'
import { watchedRepositories } from './watched-repositories/tables.ts'

export const interfaceRecords: Declarations = [
  {
    collection: 'watched-repositories',
    prefix: 'wrp',
    label: 'watched repository',
    table: watchedRepositories,
    places: scopesFromColumns(watchedRepositories),
  },
]
