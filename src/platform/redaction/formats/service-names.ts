/** Services that give out keys, in small letters. Words that texts have for other reasons are not among them. */
export const SERVICES: ReadonlySet<string> = new Set(
  (
    'ably activecampaign adyen agileapi aha algorithmia apiary apigee appdynamics appsflyer appsignal arcgis ' +
    'auth0 authy avalara awsses bamboohr bandwidth basecamp binance bitbucket bitrise bitwarden brevo bybit ' +
    'campaignmonitor chargebee chargify checkr clerkdev clickatell cloudant codecov codeship cohere ' +
    'coinmarketcap constantcontact contentful crashlytics cronitor deepl dnsimple docraptor dynatrace easypost ' +
    'edgecast elasticcloud emailjs exchangerate expensify fauna filestack firebase fireworksai foursquareapi ' +
    'gandi gemini giphy hellofax hetzner hotjar iterable jenkins jfrog jira keycdn kustomer lacework lastfm ' +
    'leaseweb lightstep linode livechat logdna logentries lokalisecloud mailersend mailgun mailtrap marketo ' +
    'metaapi mistralai mollie muxvideo namecheap newrelicapi nubank okcoin okta onedrive opencage ' +
    'openexchangerates openweathermap oracleapi ovhcloud paddle pagertree papertrail peloton perplexity ' +
    'pingdom pinterest pipefy plausible polygonio prismic quaderno qualtrics quickbase quickbooks raygun ' +
    'readme recaptcha recurly replicate rollbar sanity seatgeek sendpulse serpapi servicenow skyscanner ' +
    'smartsheet smugmug snyk sonarqube soundcloud squareup stabilityai stackpath stormpath surveymonkey tmdb ' +
    'togetherai transloadit tumblr twitterapi uptrends usersnap vimeo virustotalapi vonage wakatime weatherapi ' +
    'wix woocommerce workday wufoo xero yelp zapier zoho zoominfo zuora ' +
    'abuseipdb abyssale accuweather adafruitio adzuna aeroworkflow airbrake airship airtable airvisual aiven alconost ' +
    'alegra aletheia aletheiaapi algolia alibaba alienvault ambee anthropic apacta apideck apiflash apifonica ' +
    'apilayer apimatic apimetrics apitemplate appcues appfollow appointedd appsynergy apptivo artifactory artsy asana ' +
    'assemblyai atera atlassian atlassiandatacenter autodesk autoklose autopilot avaza aviationstack axonaut aylien ' +
    'ayrshare azure azureapimanagement azurefunction bannerbear baremetrics beebole besnappy besttime betterstack ' +
    'billomat bitbar bitcoinaverage bitfinex bitly bitmex blazemeter blitapp blocknative bombbomb boostnote borgbase ' +
    'braintree braintreepayments braintrust brandfetch browserstack browserstackkey browshot bscscan buddyns budibase ' +
    'bugherd bugsnag buildkite bulksms caflou calendarific calendly calorieninja campayn cannyio capsulecrm ' +
    'captaindata carboninterface cashboard censys centralstation centralstationcrm cexio chartmogul chatfuel checio ' +
    'checklyhq checkvist circleci clarifai clearbit clickhelp clicksendsms clickup cliengo clientary clinchpad ' +
    'clockify clockworksms closecrm cloudconvert cloudelements cloudflare cloudflareapi cloudflareca cloudflareglobal ' +
    'cloudimage cloudinary cloudmersive cloudplan cloudsmith cloverly clustdoc codacy codeclimate codemagic codequiry ' +
    'coinapi coinbase coinlayer coinlib commercejs companyhub confluent conversiontools convertapi convertkit ' +
    'countrylayer coveralls craftmypdf crowdin cryptocompare currencycloud currencyfreaks currencylayer currencyscoop ' +
    'currentsapi customerguru customerio dailyco dareboost databox databricks datadog datagov deepai deepgram ' +
    'deepseek delighted detectify detectlanguage dfuse diffbot diggernaut digitalocean discord discordbot disqus ' +
    'dockerhub docparser docsearch docusign doppler dotdigital dovico dronahq droneci dropbox duply dwolla dynalist ' +
    'dyspatch eagleeyenetworks easyinsight ecostruxureit edamam edenai eightxeight elasticemail elevenlabs enablex ' +
    'endorlabs etherscan ethplorer eventbrite everhour exportsdk facebook faceplusplus fastforex fastly fetchrss ' +
    'fibery figma finage findl finnhub fixerio flatio fleetbase flexport flightapi flightlabs flightstats flowflu ' +
    'flutterwave flyio formbucket formcraft formio formsite foursquare frameio freshbooks freshdesk freshworks ' +
    'fullstory fxmarket geckoboard gengo geoapify geocodify geoipifi getgeoapi ghapi githubapp githubpat githubsecret ' +
    'githubtoken gitter glassnode gocanvas gocardless godaddy googlegemini grafana graphcms graphhopper groovehq ' +
    'gtmetrix gumroad gyazo happyscribe hashicorpvault hasura hellosign helpcrunch helpscout hereapi heroku hiveage ' +
    'holidayapi honeycomb hubspot huggingface hybiscus hypertrack iconfinder iexapis iexcloud imagekit infura ' +
    'instamojo intercom interseller intrinio invoiceocean ipgeolocation ipifi ipinfo ipinfodb ipquality ipstack ' +
    'jotform jumpcloud jupiterone kanbantool karmacrm keenio kickbox klaviyo klipfolio knapsackpro kraken kucoin ' +
    'kylas langfuse langsmith languagelayer larksuite launchdarkly leadfeeder lemlist lemonsqueezy lendflow ' +
    'lessannoyingcrm lexigram linemessaging linenotify linkpreview liveagent livestorm loadmill locationiq loggly ' +
    'loginradius logzio lokalise loyverse lunchmoney madkudu magicbell mailboxlayer mailchimp mailerlite mailjet ' +
    'mailjetbasicauth mailjetsms mailmodo mailsac mandrill mapbox mapquest marketstack mattermost maxmind ' +
    'meaningcloud mediastack meistertask meraki mesibo messagebird metabase metrilo mindmeister mixmax mixpanel ' +
    'mockaroo monkeylearn moonclerk moosend moralis mrticktock myfreshworks myintervals nasdaqdatalink nethunt ' +
    'netlify netsuite neutrinoapi newrelic newsapi newscatcher nexmo nftport ngrok nicereply nightfall nozbe ' +
    'nozbeteams numverify nutritionix nylas oanda octopusdeploy omnisend onedesk onelogin onepagecrm onesignal ' +
    'onfleet oopspam openai opencagedata openrouter openuv openvpn openweather opsgenie optimizely overloop owlbot ' +
    'packagecloud pagarme pagerduty pandadoc pandascore paperform paralleldots parseur partnerstack paymoapp paymongo ' +
    'paypal paystack pdflayer pdfshift peopledatalabs pepipost photoroom pinata pinecone pipedream pipedrive ' +
    'pivotaltracker pixabay plaid planetscale planetscaledb planviewleankit planyo plivo podio poloniex ' +
    'portainertoken positionstack postageapp postbacks posthog postman postmark powrbot prefect prodpad prospectcrm ' +
    'proxycrawl pulumi purestake pushbullet pusher qualaroo qubole rapidapi razorpay reachmail reallysimplesystems ' +
    'rebrandly rentman repairshopr replyio requestfinance restpack restpackhtmltopdf restpackscreenshot revampcrm ' +
    'ringcentral ritekit robinhoodcrypto rocketreach rootly runrunit runscope saladcloud salesblink salescookie ' +
    'salesflare salesforce salesmate satismeter saucelabs scaleway scalr scrapeowl scraperapi scrapestack scrapfly ' +
    'scrapingant scrapingbee screenshotlayer scrutinizerci securitytrails selectpdf sendbird sendgrid sendinblue ' +
    'sentry serphouse serpstack sherpadesk shipday shippo shodan shopify shotstack signalwire signaturit signupgenius ' +
    'sigopt simfin simplesat simplynoted simvoly sinch skrapp skrappio skybiometry smartsheets smartystreets snipcart ' +
    'snowflake solarwinds sonarcloud sourcegraph sourcegraphcody sparkpost spectralops speechtext speechtextai splunk ' +
    'splunkobservability spoonacular sportsmonk spotify squareapp squarespace sslmate statuscake statuspage statuspal ' +
    'stitchdata stockdata storecove stormboard stormglass storyblok storychief strava stripe stripo stytch sugester ' +
    'sumologic supabase supernotes surveyanyplace surveybot surveysparrow survicate swiftype tableau tailscale ' +
    'tallyfy tatum tatumio taxjar teamgate teamworkcrm teamworkdesk teamworkspaces technicalanalysisapi tefter ' +
    'telegram telegrambot telnyx testingbot textanywhere textmagic theodds theoddsapi thinkific thousandeyes ' +
    'ticketmaster tickettailor tiingo timecamp tmetric todoist toggl toggltrack tokeet tomorrowio tomtom tradier ' +
    'transferwise travelpayouts travis travisci trello trufflehogenterprise twelvedata twilio twitch twitter tyntec ' +
    'typeform ubidots uclassify unifyid unplu unplugg unsplash upcdatabase uplead uploadcare uptimerobot urlscan ' +
    'userflow userstack vatlayer vbout vercel veriphone versioneye viewneo virustotal visualcrossing voiceflow ' +
    'voicegain voodoosms vouchery vpnapi vultr walkscore wandb weatherbit weatherstack webex webexbot webflow ' +
    'websitepulse weightsandbiases wepay whoxy wistia worksnaps workstack worldcoinindex worldweather wrike yandex ' +
    'youneedabudget yousign youtube zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce zerotier zipapi ' +
    'zipbooks zipcodeapi zipcodebase zohocrm zonka zonkafeedback zulipchat amplitude intercom kibana notion ' +
    'adafruit adobe adobeio allsports amadeus anypoint api2cart aquasec audd authress bandsintown bittrex blackduck ' +
    'blockfrost blogger bulbul buttercms caspio chainstack clickhouse clojars cloze configcat convier couchbase ' +
    'crowdstrike d7network deepsource descope dnscheck documo duffel easyship etsy exchangeratesapi extractorapi ' +
    'financialmodelingprep finicity fivetran flagsmith fmfw freemius geocodio getgist getresponse getsandbox ' +
    'goshippo greynoise groq growthbook hashicorp hightouch honeybadger html2pdf hybridanalysis incidentio infracost ' +
    'insightly instabot intra42 ip2location ipapi ipdata jumio juro kontent linkedin livekit lob logtail loqate luno ' +
    'mavenlink mixcloud noticeable novu nvapi nytimes onfido openshift parsehub paydirtapp pganalyze phishtank ' +
    'polygonscan portainer postgrid privateai protocolsio pubnub qase qualys quicknode rapid7 rawg rechargepayments ' +
    'route4me rownd rubygems rudderstack scalingo scraperbox screenshotapi settlemint shipengine shipstation ' +
    'shutterstock signable sirv siteleaf socure splitio squadcast statsig svix sysdig teletype tenderly timezoneapi ' +
    'tripadvisor trulioo turso typetalk upstash upwave veracode verimail veriff victorops web3storage webscraping ' +
    'whitesource workos xai zscaler aftership sonatype checkly'
  ).split(' '),
)

/** Services that are called after ordinary words, or that commits and releases are named with. */
export const COMMON_SERVICES: ReadonlySet<string> = new Set(
  (
    'agora alchemy apify apollo beamer canny copper demio deputy docker elastic envoy fixer flickr fulcrum github ' +
    'gitlab guardian harvest heap hunter imagga karma kraken linear monday mongodb nimble nuget ocean ' +
    'optimizely percy pivotal planview railway rabbitmq refiner scraper segment sonar streak survey swell teamwork ' +
    'slack square tomorrow twist vagrant wave zipcode box npm pypi ' +
    'alloy axiom cicero clerk coda courier dandelion debounce duo enigma eraser guru harness hive humanity impala ' +
    'knock looker miro mite mux pastebin persona polygon ramp raven resend semaphore shortcut sidekiq smooch tecton ' +
    'tenable webscraper wit wiz dbt'
  ).split(' '),
)
