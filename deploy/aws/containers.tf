locals {
  directory = "/var/lib/sluice"

  # After the user; the password is in PGPASSWORD.
  database_tls = "sslmode=verify-full&sslrootcert=${local.directory}/database-ca.pem"
  database_url = "@${aws_db_instance.main.address}:${aws_db_instance.main.port}/sluice?${local.database_tls}"

  balancer_url = "http://${aws_lb.internal.dns_name}"

  # Of api and worker.
  settings = merge(var.settings, {
    DATABASE_URL                = "postgres://sluice${local.database_url}"
    SLUICE_DATABASE_CONNECTIONS = tostring(var.database.connections_count)
    SLUICE_DATA_DIR             = "${local.directory}/data"
    TMPDIR                      = local.directory
    HOST                        = "0.0.0.0"
    SLUICE_PUBLIC_URL           = var.public_url
    SLUICE_TRUSTED_PROXIES      = join(",", sort(distinct([for subnet in data.aws_subnet.load_balancer : subnet.cidr_block])))
    SLUICE_DRAIN_SECONDS        = "5"
    SLUICE_ARCHIVE_BUCKET       = aws_s3_bucket.main["archive"].bucket
    SLUICE_ARCHIVE_REGION       = local.region
    ENGINE_INGRESS_URL          = "${local.balancer_url}:8080"
    ENGINE_ADMIN_URL            = "${local.balancer_url}:9070"
    AWS_REGION                  = local.region
  })

  role_settings = {
    api = { SLUICE_ROLES = "api" }
    worker = {
      SLUICE_ROLES = "worker"
      WORKER_HOST  = "0.0.0.0"
      WORKER_PORT  = "9080"
      WORKER_URL   = "${local.balancer_url}:9080"
    }
  }

  owner_password   = "${local.owner_secret_arn}:password::"
  service_password = "${var.secret_arn}:DATABASE_PASSWORD::"

  secret_names = ["SLUICE_ENCRYPTION_KEY", "SLUICE_METRICS_TOKEN", "SLUICE_BOOTSTRAP_TOKEN", "ENGINE_IDENTITY_KEYS"]
  secrets = merge(
    var.secret_settings,
    { PGPASSWORD = local.service_password },
    { for name in local.secret_names : name => "${var.secret_arn}:${name}::" },
  )

  # Writes files of a task's volume, since ECS has no volumes of configuration: FILE=VARIABLE.
  write_files = <<-JS
    for (const argument of process.argv.slice(1)) {
      const [file, name] = argument.split('=')
      require('node:fs').writeFileSync(file, process.env[name], { mode: 0o400 })
    }
  JS

  # A request that the program itself answers: a port is open also while the program hangs.
  health_path  = "/health/live"
  health_check = <<-JS
    fetch('http://127.0.0.1:4600${local.health_path}').then(
      ({ ok }) => process.exit(ok ? 0 : 1),
      () => process.exit(1),
    )
  JS

  hardening = {
    essential              = true
    user                   = "10001:10001"
    readonlyRootFilesystem = true
    linuxParameters        = { capabilities = { drop = ["ALL"] } }
  }

  # Runs to its end before the program of the task starts.
  preparing = merge(local.hardening, { essential = false })

  log = { for program, group in aws_cloudwatch_log_group.task : program => {
    logDriver = "awslogs"
    options = {
      awslogs-group         = group.name
      awslogs-region        = local.region
      awslogs-stream-prefix = program
      # A program that cannot log must not wait for it.
      mode            = "non-blocking"
      max-buffer-size = "25m"
    }
  } }

  data_mount = { sourceVolume = "data", containerPath = local.directory, readOnly = false }

  # Each task brings the schema up to date first. Those that start together wait for each other.
  service_preparation = { for program in keys(local.role_settings) : program => [
    merge(local.preparing, {
      name       = "files"
      image      = var.image
      entryPoint = ["node"]
      command    = ["-e", local.write_files, "database-ca.pem=DATABASE_CA", "roles.sql=ROLES_SQL"]
      environment = [
        { name = "DATABASE_CA", value = var.database_ca },
        { name = "ROLES_SQL", value = file("${path.module}/files/roles.sql") },
      ]
      mountPoints      = [local.data_mount]
      logConfiguration = local.log[program]
    }),
    merge(local.preparing, {
      name       = "roles"
      image      = var.postgres_image
      entryPoint = ["psql"]
      command    = ["--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=${local.directory}/roles.sql", "postgres://sluice_owner${local.database_url}"]
      secrets = [
        { name = "PGPASSWORD", valueFrom = local.owner_password },
        { name = "SLUICE_PASSWORD", valueFrom = local.service_password },
      ]
      mountPoints      = [local.data_mount]
      dependsOn        = [{ containerName = "files", condition = "SUCCESS" }]
      logConfiguration = local.log[program]
    }),
    merge(local.preparing, {
      name    = "migrate"
      image   = var.image
      command = ["migrate"]
      environment = [
        { name = "DATABASE_MIGRATION_URL", value = "postgres://sluice_owner${local.database_url}" },
        { name = "DATABASE_URL", value = local.settings.DATABASE_URL },
        { name = "SLUICE_DATA_DIR", value = local.settings.SLUICE_DATA_DIR },
        { name = "TMPDIR", value = local.settings.TMPDIR },
      ]
      secrets          = [{ name = "PGPASSWORD", valueFrom = local.owner_password }]
      mountPoints      = [local.data_mount]
      dependsOn        = [{ containerName = "roles", condition = "SUCCESS" }]
      logConfiguration = local.log[program]
    }),
  ] }

  service_containers = { for program, own in local.role_settings : program => concat(local.service_preparation[program], [
    merge(local.hardening, {
      name         = program
      image        = var.image
      command      = ["serve"]
      environment  = [for name, value in merge(local.settings, own) : { name = name, value = value }]
      secrets      = [for name, arn in local.secrets : { name = name, valueFrom = arn }]
      portMappings = [{ containerPort = local.main_port[program], protocol = "tcp" }]
      mountPoints  = [local.data_mount]
      dependsOn    = [{ containerName = "migrate", condition = "SUCCESS" }]
      stopTimeout  = 60
      healthCheck = {
        command     = ["CMD", "node", "-e", local.health_check]
        interval    = 10
        timeout     = 5
        retries     = 6
        startPeriod = 120
      }
      logConfiguration = local.log[program]
    }),
  ]) }

  main_port = { api = 4600, worker = 9080 }

  engine_config = templatefile("${path.module}/files/engine.toml.tftpl", {
    nodes       = keys(local.engine_nodes)
    domain      = aws_service_discovery_private_dns_namespace.main.name
    bucket      = aws_s3_bucket.main["snapshots"].bucket
    file_system = aws_efs_file_system.engine.id
  })

  engine_containers = { for node in keys(local.engine_nodes) : node => [
    merge(local.preparing, {
      name             = "files"
      image            = coalesce(var.engine_files_image, var.image)
      entryPoint       = ["node"]
      command          = ["-e", local.write_files, "identity.pem=ENGINE_IDENTITY", "restate.toml=ENGINE_CONFIG"]
      environment      = [{ name = "ENGINE_CONFIG", value = local.engine_config }]
      secrets          = [{ name = "ENGINE_IDENTITY", valueFrom = "${var.secret_arn}:ENGINE_IDENTITY::" }]
      mountPoints      = [{ sourceVolume = "config", containerPath = local.directory, readOnly = false }]
      logConfiguration = local.log["engine"]
    }),
    merge(local.hardening, {
      name    = "engine"
      image   = var.engine_image
      command = ["--config-file", "/etc/restate/restate.toml", "--no-logo"]
      environment = [
        { name = "RESTATE_ADVERTISED_ADDRESS", value = "http://${node}.${aws_service_discovery_private_dns_namespace.main.name}:5122" },
        # One node makes the cluster, once; the others join it.
        { name = "RESTATE_AUTO_PROVISION", value = node == "engine-1" ? "true" : "false" },
        { name = "RESTATE_NODE_NAME", value = node },
        { name = "TMPDIR", value = "/restate-data" },
      ]
      portMappings = [for port in [5122, 8080, 9070] : { containerPort = port, protocol = "tcp" }]
      mountPoints = [
        { sourceVolume = "data", containerPath = "/restate-data", readOnly = false },
        { sourceVolume = "config", containerPath = "/etc/restate", readOnly = true },
      ]
      dependsOn        = [{ containerName = "files", condition = "SUCCESS" }]
      stopTimeout      = 60
      logConfiguration = local.log["engine"]
    }),
  ] }

  runner_containers = [for runner in var.runner[*] : merge(local.hardening, {
    name  = "runner"
    image = runner.image
    environment = [
      # Fargate gives a task that is replaced two minutes at most: what then still runs is interrupted, and says so.
      { name = "SLUICE_RUNNER_DRAIN_SECONDS", value = "90" },
      { name = "SLUICE_URL", value = var.public_url },
      { name = "TMPDIR", value = "/var/lib/sluice-runner" },
    ]
    secrets          = [{ name = "SLUICE_RUNNER_TOKEN", valueFrom = runner.secret_arn }]
    mountPoints      = [{ sourceVolume = "data", containerPath = "/var/lib/sluice-runner", readOnly = false }]
    stopTimeout      = 120
    logConfiguration = local.log["runner"]
  })]
}
