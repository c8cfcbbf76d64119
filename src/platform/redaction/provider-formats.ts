/** One kind of token that its issuer made recognisable. */
export interface ProviderFormat {
  rule: string
  /** Texts one of which begins each such token; case is settled by the pattern. */
  anchors: readonly string[]
  /** The token from its anchor on. Repetitions are bounded, so that a failed try is cheap. */
  pattern: string
  /** A repeated filler such as `xxxx` is no token, unless the beginning alone says enough. */
  allowsFiller?: true
  /** Letters or digits may stand right before it. */
  allowsInside?: true
}

const WORD = '[A-Za-z0-9_-]'
const ALNUM = '[A-Za-z0-9]'
const HEX = '[a-fA-F0-9]'

function format(
  rule: string,
  anchors: string,
  pattern: string,
  options: Partial<ProviderFormat> = {},
): ProviderFormat {
  return { rule, anchors: anchors.split(' '), pattern, ...options }
}

const DEVELOPER_TOOLS: readonly ProviderFormat[] = [
  format('github_token', 'ghp_ ghp-', `ghp[_-]${ALNUM}{30,255}`, { allowsFiller: true }),
  format('github_token', 'gho_ ghu_ ghs_ ghr_', `gh[ousr]_${ALNUM}{30,255}`),
  format('github_token', 'github_pat_', `github_pat_[A-Za-z0-9_]{22,255}`),
  format(
    'gitlab_token',
    'glpat- glptt- gldt- glrt- glcbt- glimt- glft- glffct- glsoat- glagent- gloas- glwt-',
    `gl(?:pat|ptt|dt|rt|cbt|imt|ft|ffct|soat|agent|oas|wt)-[A-Za-z0-9_.=-]{16,300}`,
  ),
  format('gitlab_token', 'GR1348941', `GR1348941${WORD}{20,60}`),
  format('gitlab_token', '_gitlab_session=', `_gitlab_session=${ALNUM}{20,128}`),
  format('npm_token', 'npm_', `npm_${ALNUM}{36,80}`),
  format('pypi_token', 'pypi-ageichlwas5vcmc pypi-agenaxrlc3qucHlwaS5vcmc', `pypi-Ag${WORD}{40,1000}`),
  format('rubygems_token', 'rubygems_', `rubygems_${HEX}{48}`),
  format('clojars_token', 'clojars_', `CLOJARS_[A-Za-z0-9]{60}`),
  format('crates_token', 'cio', `cio[A-Za-z0-9]{32}(?![A-Za-z0-9])`),
  format('nuget_token', 'oy2', `oy2[a-z0-9]{43}(?![A-Za-z0-9])`),
  format('docker_token', 'dckr_pat_ dckr_oat_', `dckr_[po]at_${WORD}{20,80}`),
  format('artifactory_token', 'akcp cmvmdg', `(?:AKCp${ALNUM}{60,80}|cmVmdG[A-Za-z0-9]{50,70})`),
  format(
    'atlassian_token',
    'atatt3 atctt3 atbb',
    `(?:AT[AC]TT3${WORD}{20,300}(?:=[A-F0-9]{8})?|ATBB${ALNUM}{24,40})`,
  ),
  format('bitrise_token', 'bitrise_', `bitrise_${WORD}{20,80}`),
  format('linear_token', 'lin_api_ lin_oauth_', `lin_(?:api|oauth)_${ALNUM}{32,80}`),
  format('postman_token', 'pmak-', `PMAK-${HEX}{24}-${HEX}{34}`),
  format('sentry_token', 'sntrys_ sntryu_', `sntry[su]_[A-Za-z0-9_+/=-]{40,600}`),
  format('sonar_token', 'sqp_ squ_ sqa_', `sq[pua]_${ALNUM}{40}`),
  format('sourcegraph_token', 'sgp_', `sgp_(?:(?:${HEX}{16}|local)_)?${HEX}{40}(?![A-Za-z0-9_])`),
  format('pulumi_token', 'pul-', `pul-${HEX}{40}(?![A-Za-z0-9])`),
  format('vault_token', 'hvs. hvb. hvr.', `hv[sbr]\\.${WORD}{24,300}`),
  format('doppler_token', 'dp.', `dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{40,120}`),
  format('infracost_token', 'ico-', `ico-${ALNUM}{32}(?![A-Za-z0-9])`),
  format('prefect_token', 'pnu_ pnb_', `pn[ub]_${ALNUM}{36}`),
  format('readme_token', 'rdme_', `rdme_[a-z0-9]{70}`),
  format(
    'databricks_token',
    'dapi dkea dose dsapi',
    `d(?:api|kea|ose|sapi)${HEX}{32}(?:-\\d{1,2})?(?![A-Za-z0-9])`,
  ),
  format('cloudsmith_token', 'cs_', `cs_[a-f0-9]{40}(?![A-Za-z0-9])`),
  format('onepassword_token', 'ops_eyj', `ops_eyJ[A-Za-z0-9+/_=-]{200,4000}`),
  format(
    'onepassword_token',
    'a3-',
    `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Z0-9])`,
  ),
  format('age_key', 'age-secret-key-1', `AGE-SECRET-KEY-1[A-Za-z0-9]{50,64}`, { allowsFiller: true }),
  format('octopus_token', 'api-', `API-[A-Z0-9]{25,40}(?![A-Za-z0-9-])`),
  format(
    'launchdarkly_token',
    'sdk- mob-',
    `(?:sdk|mob|api)-${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
  ),
  format('scalingo_token', 'tk-us-', `tk-us-${WORD}{40,60}`),
  format('frameio_token', 'fio-u-', `fio-u-[A-Za-z0-9_=-]{60,70}`),
  format('figma_token', 'figd_ figo_ figu_', `fig[dou]_${WORD}{30,60}`),
  format('typeform_token', 'tfp_', `tfp_[A-Za-z0-9_.=-]{40,80}`),
  format('settlemint_token', 'sm_pat_ sm_aat_ sm_sat_', `sm_[pas]at_${ALNUM}{16}(?![A-Za-z0-9])`),
  format(
    'authress_key',
    'sc_ ext_ scauth_ authress_',
    `(?:sc|ext|scauth|authress)_[a-z0-9]{5,40}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,40}\\.[A-Za-z0-9+/_=-]{30,150}`,
  ),
  format('adobe_secret', 'p8e- p8s-', `p8[es]-${WORD}{32}(?![A-Za-z0-9])`),
  format('harness_token', 'pat. sat.', `[ps]at\\.${WORD}{22}\\.${ALNUM}{24}\\.${ALNUM}{20}`),
  format('intra42_secret', 's-s4t2', `s-s4t2(?:ud|af)-${HEX}{64}`),
  format('buildkite_token', 'bkua_ bkpat_', `bk(?:ua|pat)_[a-f0-9]{40}`),
  format('circleci_token', 'ccipat_ cciprj_', `cci(?:pat|prj)_${WORD}{20,90}`),
  format(
    'flyio_token',
    'fo1_ fm1 fm2_',
    `(?:fo1_[\\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{40,400}={0,3}|fm2_[A-Za-z0-9+/]{40,400}={0,3})`,
  ),
  format('openshift_token', 'sha256~', `sha256~${WORD}{43}`),
]

const CLOUDS_AND_MODELS: readonly ProviderFormat[] = [
  format(
    'openai_key',
    'sk-',
    `sk-(?:${ALNUM}{20,200}|(?:proj|svcacct|admin|None|or-v1|lf)-[A-Za-z0-9_-]{20,300})`,
    { allowsFiller: true },
  ),
  format(
    'openai_key',
    'sk-',
    `sk-(?!ant-)(?=[A-Za-z0-9_-]{0,40}[0-9])(?=[A-Za-z0-9_-]{0,40}[A-Z])[A-Za-z0-9_-]{24,200}`,
  ),
  format(
    'aws_access_key',
    'akia asia abia acca a3t',
    `(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  ),
  format(
    'aws_bedrock_key',
    'absk bedrock-api-key-',
    `(?:ABSK[A-Za-z0-9+/]{100,300}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{20,2000})`,
  ),
  format('google_api_key', 'aiza', `AIza${WORD}{35}`),
  format('google_oauth_secret', 'gocspx-', `GOCSPX-${WORD}{20,40}`),
  format('google_oauth_token', 'ya29.', `ya29\\.[A-Za-z0-9_-]{20,400}`),
  format('google_refresh_token', '1//0', `1//0[A-Za-z0-9_-]{30,120}`),
  format('azure_storage_key', 'accountkey=', `AccountKey=[A-Za-z0-9+/]{40,100}={0,2}`),
  format('digitalocean_token', 'dop_v1_ doo_v1_ dor_v1_', `do[por]_v1_${HEX}{64}`),
  format('cloudflare_key', 'v1.0-', `v1\\.0-${HEX}{24}-${HEX}{146}`),
  format('heroku_token', 'hrku-', `HRKU-${WORD}{36,70}`),
  format('alibaba_key', 'ltai', `LTAI${ALNUM}{16,22}(?![A-Za-z0-9])`),
  format('tencent_key', 'akid', `AKID${ALNUM}{32}(?![A-Za-z0-9])`),
  format(
    'yandex_token',
    't1. aqvn',
    `(?:t1\\.[A-Z0-9a-z_-]{1,80}=?=?\\.[A-Z0-9a-z_-]{86}=?=?|AQVN[A-Za-z0-9_-]{35,38})(?![A-Za-z0-9_-])`,
  ),
  format('planetscale_token', 'pscale_', `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}`),
  format('supabase_key', 'sbp_ sb_secret_', `(?:sbp_[a-f0-9]{40}|sb_secret_${WORD}{20,60})`),
  format('neon_key', 'napi_', `napi_[a-z0-9]{60,70}`),
  format('anthropic_key', 'sk-ant-', `sk-ant-[A-Za-z0-9_-]{20,200}`),
  format('huggingface_token', 'hf_ api_org_', `(?:hf_|api_org_)${ALNUM}{30,40}(?![A-Za-z0-9])`),
  format('replicate_token', 'r8_', `r8_${ALNUM}{37}(?![A-Za-z0-9])`),
  format('groq_key', 'gsk_', `gsk_${ALNUM}{50,60}`),
  format('xai_key', 'xai-', `xai-${ALNUM}{70,90}`),
  format('perplexity_key', 'pplx-', `pplx-${ALNUM}{40,60}`),
  format('fireworks_key', 'fw_', `fw_${ALNUM}{20,30}(?![A-Za-z0-9])`),
  format('langchain_key', 'lsv2_', `lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`),
  format('pinecone_key', 'pcsk_', `pcsk_${WORD}{50,80}`),
  format('tailscale_key', 'tskey-', `tskey-[a-z]{2,10}-${WORD}{10,80}`),
  format('confluent_key', 'cflt', `cflt[A-Za-z0-9+/]{60}(?![A-Za-z0-9])`),
  format('clickhouse_key', '4b1d', `4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])`),
  format(
    'grafana_token',
    'glsa_ glc_ eyjrijoi',
    `(?:glsa_${ALNUM}{32}_${HEX}{8}|glc_[A-Za-z0-9+/]{32,400}={0,3}|eyJrIjoi[A-Za-z0-9]{60,400}={0,3})`,
  ),
  format('newrelic_key', 'nrak- nrjs- nrii- nrra-', `NR(?:AK|JS|II|RA)-[A-Za-z0-9-]{19,50}`),
  format('dynatrace_token', 'dt0c01. dt0s', `dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}`),
  format('mapbox_token', 'sk.eyj', `sk\\.eyJ[A-Za-z0-9_-]{20,200}\\.[A-Za-z0-9_-]{20,40}`),
]

const MESSAGES_AND_MONEY: readonly ProviderFormat[] = [
  format(
    'slack_token',
    'xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xoxc- xoxd- xapp-',
    `(?:xox[a-z](?:\\.xox[bp])?|xapp)-(?=[A-Za-z0-9%-]{0,40}[0-9])[A-Za-z0-9%/+=-]{14,400}`,
  ),
  format(
    'slack_webhook',
    'hooks.slack.com/',
    `hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,90}`,
    { allowsFiller: true },
  ),
  format(
    'discord_webhook',
    'discord.com/api/webhooks/ discordapp.com/api/webhooks/',
    `discord(?:app)?\\.com/api/webhooks/\\d{10,22}/[\\w-]{30,90}`,
  ),
  format(
    'teams_webhook',
    'webhook.office.com/',
    `webhook\\.office\\.com/webhookb2/[A-Za-z0-9-]{30,40}@[A-Za-z0-9-]{30,40}/IncomingWebhook/[A-Za-z0-9]{20,40}/[A-Za-z0-9-]{30,40}`,
    { allowsInside: true },
  ),
  format(
    'chat_webhook',
    'chat.googleapis.com/ hooks.zapier.com/ maker.ifttt.com/',
    `(?:chat\\.googleapis\\.com/v1/spaces/[\\w-]{5,30}/messages\\?key=[\\w&=%-]{30,300}|hooks\\.zapier\\.com/hooks/catch/\\d{3,10}/[a-z0-9]{5,20}|maker\\.ifttt\\.com/trigger/[\\w-]{1,60}/with/key/[\\w-]{10,60})`,
  ),
  format(
    'stripe_key',
    'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_',
    `(?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9+/=]{10,120}`,
  ),
  format(
    'square_token',
    'sq0atp- sq0csp- eaaa',
    `(?:sq0(?:atp|csp)-[\\w-]{22,60}|EAAA[\\w-]{60}(?![A-Za-z0-9_-]))`,
  ),
  format(
    'paypal_token',
    'access_token$',
    `access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}`,
  ),
  format('flutterwave_key', 'flwpubk flwseck', `FLW(?:PUB|SEC)K(?:_TEST)?-?[A-Za-z0-9]{12,40}(?:-X)?`),
  format('razorpay_key', 'rzp_live_ rzp_test_', `rzp_(?:live|test)_${ALNUM}{14,24}`),
  format('shopify_token', 'shpat_ shpca_ shppa_ shpss_', `shp(?:at|ca|pa|ss)_${HEX}{32}`),
  format('shippo_token', 'shippo_', `shippo_(?:live|test)_${HEX}{40}`),
  format('easypost_key', 'ezak eztk', `EZ[AT]K${ALNUM}{54}`),
  format('duffel_token', 'duffel_', `duffel_(?:test|live)_[A-Za-z0-9_=-]{40,50}`),
  format(
    'plaid_token',
    'access-sandbox- access-development- access-production-',
    `access-(?:sandbox|development|production)-${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
  ),
  format('lob_key', 'live_ test_', `(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?![A-Za-z0-9])`),
  format('sendgrid_key', 'sg.', `SG\\.[A-Za-z0-9_.=-]{60,70}`),
  format('mailgun_key', 'key- pubkey-', `(?:pub)?key-[a-f0-9]{32}(?![A-Za-z0-9])`),
  format('sendinblue_key', 'xkeysib- xsmtpsib-', `x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}`),
  format('resend_key', 're_', `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])`),
  format('facebook_token', 'eaam eaac', `EAA[MC][A-Za-z0-9]{100,300}`),
  format('instagram_token', 'igqv', `IGQV[A-Za-z0-9_-]{60,250}`),
  format(
    'twitter_token',
    'aaaaaaaaaaaaaaaaaaaaaa',
    `A{22}(?=[A-Z0-9%]{0,60}[a-z])(?=[A-Za-z%]{0,60}[0-9])[A-Za-z0-9%]{80,100}`,
    { allowsFiller: true },
  ),
  format(
    'jwt',
    'eyj',
    `eyJ[A-Za-z0-9_-]{8,8000}\\.e[yw][A-Za-z0-9_-]{8,8000}(?:\\.[A-Za-z0-9_-]{0,8000}){0,3}`,
  ),
  format('jwt', 'zxlk zxlj', `ZXlK[A-Za-z0-9+/_-]{60,8000}={0,2}`),
  format('private_key', 'ls0tls1crudjti', `LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,16000}={0,2}`),
  format('password_hash', '$2a$ $2b$ $2y$', `\\$2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}`, { allowsInside: true }),
  format(
    'password_hash',
    '$1$ $5$ $6$ $apr1$ $y$ $argon2',
    `\\$(?:1|5|6|apr1|y|argon2(?:id|i|d))\\$[./A-Za-z0-9,=+$-]{24,200}`,
    { allowsInside: true },
  ),
]

/** Every provider's tokens that can be told by their beginning. */
export const PROVIDER_FORMATS: readonly ProviderFormat[] = [
  ...DEVELOPER_TOOLS,
  ...CLOUDS_AND_MODELS,
  ...MESSAGES_AND_MONEY,
]
